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

/** All results that are kept, by name. */
export function keptResults(): Result[] {
  const files = readdirSync(folder).sort();
  return files.map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")));
}

/** Writes the page of results. */
export function writePage(results: Result[]): void {
  const versions = Object.entries(peerVersions()).map(([name, version]) => `${name} ${version}`);
  const text = [
    "# Measurements",
    "Written by `npm run bench`; `npm run bench -- NAME …` measures only the parts named, and `-- page` none: it writes this page, its charts and the README's table from `bench/results/`. The built package is measured, its peers and openapi-fetch, the floor it stands on, in the versions below, and contestants take turns.",
    `Versions: ${versions.join(" · ")}`,
    ...results.map((result) => section(result, chartOf(result.name))),
  ];
  writeFileSync(page, `${text.join("\n\n")}\n`);
}

/** A result as Markdown, with its chart if it has one. */
export function section(
  { name, title, date, node, machine, columns, rows, goals, notes }: Result,
  chart?: string,
): string {
  const line = (cells: (string | number)[]) => `| ${cells.map(shown).join(" | ")} |`;
  const alignment = columns.map((_, column) => (typeof rows[0]?.[column] === "number" ? "---:" : "---"));
  return [
    `## ${title}`,
    [line(columns), line(alignment), ...rows.map(line)].join("\n"),
    chart ? `![${title}](${chart})` : "",
    (goals ?? []).map((goal) => `- ${verdict(goal)}`).join("\n"),
    notes.join(" "),
    `Part \`${name}\`, ${date}, Node ${node}, ${machine}.`,
  ]
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

function verdict({ name, measured, atMost, atLeast }: Goal): string {
  const [met, aim] =
    atMost !== undefined
      ? [measured <= atMost, `at most ${atMost}`]
      : [measured >= (atLeast ?? 0), `at least ${atLeast}`];
  return `${name}: ${shown(measured)}, goal ${aim}: ${met ? "met" : "**missed**"}`;
}

/** Three significant digits, but never fewer than a whole number has. */
export function shown(cell: string | number): string {
  if (typeof cell === "string") return cell;
  return (cell >= 100 ? Math.round(cell) : Number(cell.toPrecision(3))).toLocaleString("en");
}
