import { cpus, loadavg, platform, totalmem } from "node:os";
import { peerVersions } from "./contestants.js";
import type { Findings, Goal } from "./part.js";

/** The findings of a part, with its name and title. */
export interface Measured extends Findings {
  name: string;
  title: string;
}

/** The load average before and after measuring. */
type Loads = [before: string, after: string];

/** The machine's load over the last minute. */
export const loadOverAMinute = () => (loadavg()[0] as number).toFixed(1);

/** When and where it is measured. */
function circumstances([before, after]: Loads): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.version}`,
    `on ${cpus().length} × ${cpu?.model.trim() || process.arch}, ${memory}, ${platform()}.`,
    `The load average over a minute was ${before} before and ${after} at the end.`,
  ].join(" ");
}

/** The page of results, in Markdown. */
export function pageOf(measured: Measured[], loads: Loads): string {
  const versions = Object.entries(peerVersions()).map(([name, version]) => `${name} ${version}`);
  const paragraphs = [
    "# Measurements",
    `The built package beside its peers. ${circumstances(loads)}`,
    goalsOf(measured),
    "`npm run bench` measures all of it again and writes this page; use a machine that does nothing else. `npm run bench -- NAME` measures one part and prints it.",
    `Peers: ${versions.join(" · ")}.`,
    ...measured.map(sectionOf),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

/** A part's section of the page. */
export function sectionOf({ title, columns, rows, notes }: Measured): string {
  return [`## ${title}`, table(columns, rows), notes].join("\n\n");
}

/** All goals in one table. */
export function goalsOf(measured: Measured[]): string {
  const rows = measured.flatMap(({ name, goals }) =>
    goals.map((goal) => [`\`${name}\``, goal.name, goal.measured, ...verdictOn(goal)]),
  );
  return table(["part", "figure", "measured", "goal", ""], rows);
}

function verdictOn({ measured, atMost, atLeast = 0 }: Goal): [goal: string, verdict: string] {
  const isMet = atMost === undefined ? measured >= atLeast : measured <= atMost;
  const goal = atMost === undefined ? `≥ ${shown(atLeast)}` : `≤ ${shown(atMost)}`;
  return [goal, isMet ? "met" : "**missed**"];
}

function table(columns: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.map(shown).join(" | ")} |`;
  const alignment = columns.map((_, column) => (typeof rows[0]?.[column] === "number" ? "---:" : "---"));
  return [line(columns), line(alignment), ...rows.map(line)].join("\n");
}

/** Rounds to three significant digits, but keeps all digits before the decimal point. */
function shown(cell: string | number): string {
  if (typeof cell === "string") return cell;
  return (cell >= 100 ? Math.round(cell) : Number(cell.toPrecision(3))).toLocaleString("en");
}
