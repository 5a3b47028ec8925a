import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, platform, totalmem } from "node:os";
import { chartOf } from "./charts.js";
import { peerVersions } from "./contestants.js";
import type { Findings, Goal, Part, Result } from "./part.js";

const folder = new URL("results/", import.meta.url);
const page = new URL("RESULTS.md", import.meta.url);

export function keep({ name, title }: Part, findings: Findings): Result {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const result = {
    name,
    title,
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine: `${cpus().length} × ${cpu?.model.trim() || process.arch}, ${memory}, ${platform()}`,
    ...findings,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(result, null, 2)}\n`);
  return result;
}

/** All kept results, by name. */
export function keptResults(): Result[] {
  const files = readdirSync(folder).sort();
  return files.map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")));
}

/** Writes the page of results. */
export function writePage(results: Result[]): void {
  const versions = Object.entries(peerVersions()).map(([name, version]) => `${name} ${version}`);
  const text = [
    "# Measurements",
    "What was aimed at, and what came of it; then each part with its table, its limit, how it was measured, and when. The built package, its peers and openapi-fetch, on which it is built, are measured by turns on one machine.",
    goalsOf(results),
    "To measure again, run `npm run bench` on a machine that does nothing else; `npm run bench -- NAME …` measures only the parts named, and `-- page` none: it writes this page, its charts and the README's table from `bench/results/`. Each part is a file in `bench/parts/`.",
    `Versions: ${versions.join(" · ")}`,
    ...results.map((result) => section(result, chartOf(result.name))),
  ];
  writeFileSync(page, `${text.join("\n\n")}\n`);
}

/** All goals in one table, each with a link to its part. */
function goalsOf(results: Result[]): string {
  const rows = results.flatMap(({ name, title, goals = [] }) =>
    goals.map((goal) => {
      const place = title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, "")
        .replaceAll(" ", "-");
      const { measured, aim, outcome } = told(goal);
      return `| [${name}](#${place}) | ${goal.name} | ${measured} | ${aim} | ${outcome} |`;
    }),
  );
  return ["| part | goal | measured | aim | |", "| --- | --- | ---: | ---: | --- |", ...rows].join("\n");
}

/** A result as Markdown, with its chart if it has one. */
export function section(
  { name, title, date, node, machine, columns, rows, limits = [], goals, notes }: Result,
  chart?: string,
): string {
  const line = (cells: (string | number)[]) => `| ${cells.map(shown).join(" | ")} |`;
  const alignment = columns.map((_, column) => (typeof rows[0]?.[column] === "number" ? "---:" : "---"));
  const marked = (cell: string | number) => (limits.includes(String(cell)) ? `*${cell}*` : cell);
  const limit = limits.length > 0 ? ["In italics: the limit, which no contestant can pass."] : [];
  return [
    `## ${title}`,
    [line(columns.map(marked)), line(alignment), ...rows.map((cells) => line(cells.map(marked)))].join("\n"),
    chart ? `![${title}](${chart})` : "",
    (goals ?? []).map((goal) => `- ${verdict(goal)}`).join("\n"),
    [...limit, ...notes].join(" "),
    `Part \`${name}\`, ${date}, Node ${node}, ${machine}. Again: \`npm run bench -- ${name}\`.`,
  ]
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

function verdict(goal: Goal): string {
  const { measured, aim, outcome } = told(goal);
  return `${goal.name}: ${measured}, goal ${aim}: ${outcome}`;
}

function told({ measured, atMost, atLeast }: Goal) {
  const isMet = atMost !== undefined ? measured <= atMost : measured >= (atLeast ?? 0);
  const aim = atMost !== undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return { measured: shown(measured), aim, outcome: isMet ? "met" : "**missed**" };
}

/** Rounds to three significant digits, but keeps all digits before the decimal point. */
export function shown(cell: string | number): string {
  if (typeof cell === "string") return cell;
  return (cell >= 100 ? Math.round(cell) : Number(cell.toPrecision(3))).toLocaleString("en");
}
