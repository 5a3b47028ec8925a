import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nodesOf, type Project, projects } from "./projects.js";

const page = fileURLToPath(new URL("../../docs/runtimes.md", import.meta.url));
const head = "| where | on Node | what is tried | |\n| --- | --- | --- | --- |\n";

/** The rows of the table in `docs/runtimes.md`, as they stand. */
export function readTable(): string[] {
  const [, table = ""] = readFileSync(page, "utf8").split(head);
  return /^(\|.*\|\n)*/.exec(table)?.[0].split("\n").slice(0, -1) ?? [];
}

/** The rows as they are when everything works. */
export const workingTable = (): string[] => projects.flatMap((project) => rowOf(project, "works"));

/**
 * Writes what a run has found. A row stays as it is where its project was not run.
 *
 * @param passed of the projects that were run, whether all of it passed
 */
export function updateTable(passed: ReadonlyMap<string, boolean>): void {
  const standing = readTable();
  const updated = projects.flatMap((project) => {
    const result = passed.get(project.name);
    if (result !== undefined) return rowOf(project, result ? "works" : "does not work");
    // Its last cell is the result.
    const [row = ""] = rowOf(project, "");
    return standing.filter((line) => row !== "" && line.startsWith(row.slice(0, -2)));
  });
  const text = readFileSync(page, "utf8");
  writeFileSync(
    page,
    text.replace(head + standing.join("\n"), () => head + updated.join("\n")),
  );
}

/** The row of a project, if it has one. */
function rowOf(project: Project, result: string): string[] {
  if (!project.row) return [];
  const [where, tried] = project.row;
  const lock = new URL(`projects/${project.name}/package-lock.json`, import.meta.url);
  const { packages } = JSON.parse(readFileSync(lock, "utf8"));
  const shown = where.replaceAll(/\{(.+?)\}/g, (_, name) => packages[`node_modules/${name}`].version);
  return [`| ${shown} | ${nodesOf(project).join(", ")} | ${tried} | ${result} |`];
}
