import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { projects } from "./projects.js";
import { type Row, rows } from "./rows.js";

const page = fileURLToPath(new URL("../../docs/runtimes.md", import.meta.url));

const head = "| where | on Node | what is tried | |\n| --- | --- | --- | --- |\n";
const works = "works";

/** The rows of the table in `docs/runtimes.md`, as they stand. */
export function readTable(): string[] {
  const text = readFileSync(page, "utf8");
  const [table = ""] = text.slice(text.indexOf(head) + head.length).match(/^(\|.*\|\n)*/) ?? [];
  return table.split("\n").slice(0, -1);
}

/** The rows as they are when everything works. */
export const workingTable = (): string[] => rows.map((row) => written(row, works));

/**
 * Writes what a run has found. A row stays as it is where its project was not run.
 *
 * @param passed of the projects that were run, whether all of it passed
 */
export function updateTable(passed: ReadonlyMap<string, boolean>): void {
  const standing = readTable();
  const updated = rows.flatMap((row) => {
    const result = passed.get(row.of);
    if (result !== undefined) return [written(row, result ? works : "does not work")];
    return standing.filter((line) => cellsOf(line)[0] === cellsOf(written(row, works))[0]);
  });
  const inLines = (lines: string[]) => head + lines.map((line) => `${line}\n`).join("");
  const text = readFileSync(page, "utf8");
  writeFileSync(
    page,
    text.replace(inLines(standing), () => inLines(updated)),
  );
}

function written({ of, where, packages = [], tried }: Row, result: string): string {
  const versions = packages.map((name, index) => (index > 0 ? `${name} ` : "") + lockedVersion(of, name));
  const shown = versions.length > 0 ? `${where} (${versions.join(", ")})` : where;
  const { nodes = [] } = projects.find(({ name }) => name === of) ?? {};
  return `| ${shown} | ${nodes.join(", ")} | ${tried} | ${result} |`;
}

const cellsOf = (line: string) => line.split("|").slice(1, -1);

/** The version that a project installs, by its lock. */
function lockedVersion(project: string, name: string): string {
  const lock = new URL(`projects/${project}/package-lock.json`, import.meta.url);
  return JSON.parse(readFileSync(lock, "utf8")).packages[`node_modules/${name}`].version;
}
