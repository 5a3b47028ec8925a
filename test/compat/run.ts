import { spawnSync } from "node:child_process";
import { pack } from "../helpers/pack.js";
import { environment, installNode, prepare } from "./prepare.js";
import { type Project, projects, type Resolution, type TypeScript } from "./projects.js";
import { updateTable } from "./table.js";
import { typeCheck } from "./type-check.js";

// Runs the projects of the table, or those that are named as arguments, one after the other.

interface Run {
  project: string;
  title: string;
  /** @returns whether it has passed */
  passes(tarball: string): boolean;
}

const runsOf = (project: Project): Run[] => [...testRuns(project), ...typeRuns(project)];

/** Its tests, on each Node. */
function testRuns(project: Project): Run[] {
  const runOn = (version: string, install: () => string): Run => ({
    project: project.name,
    title: `${project.name} on Node ${version}`,
    passes(tarball) {
      const node = install();
      const cwd = prepare(project, tarball, node);
      const { status } = spawnSync("npm", ["test", "--silent"], {
        cwd,
        env: environment(node),
        stdio: ["ignore", "inherit", "inherit"],
      });
      return status === 0;
    },
  });
  return (
    project.nodes?.map((version) => runOn(version, () => installNode(version))) ?? [
      runOn(process.version.slice(1), () => process.execPath),
    ]
  );
}

/** Its types, by each TypeScript. */
function typeRuns(project: Project): Run[] {
  const { name, types } = project;
  if (!types) return [];
  const table = Object.entries(types.typescripts) as [TypeScript, Resolution[]][];
  return table.flatMap(([typescript, resolutions]) =>
    resolutions.map((resolution) => ({
      project: name,
      title: `${name} under TypeScript ${typescript === "installed" ? "as installed" : typescript}, ${resolution}`,
      passes(tarball) {
        const folder = prepare(project, tarball, process.execPath);
        const problems = typeCheck(folder, types, typescript, resolution);
        for (const problem of problems) console.log(problem);
        return problems.length === 0;
      },
    })),
  );
}

function runAll(chosen: Project[]): void {
  const { tarball, remove } = pack();
  const runs = chosen.flatMap(runsOf);
  const failed = runs.filter(({ title, passes }) => {
    console.log(`\n== ${title}`);
    return !passes(tarball);
  });
  remove();
  updateTable(
    new Map(chosen.map(({ name }) => [name, failed.every(({ project }) => project !== name)] as const)),
  );
  console.log(`\n${runs.length - failed.length} passed, ${failed.length} failed`);
  for (const { title } of failed) console.log(`failed: ${title}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

const asked = process.argv.slice(2);
const names = projects.map(({ name }) => name);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no project ${unknown.join(", ")}. The projects are ${names.join(", ")}.`);
  process.exitCode = 2;
} else {
  runAll(projects.filter(({ name }) => asked.length === 0 || asked.includes(name)));
}
