import { spawnSync } from "node:child_process";
import { pack } from "../helpers/pack.js";
import { environment, installNode, prepare } from "./prepare.js";
import { nodesOf, type Project, projects, type Resolution, type TypeScript } from "./projects.js";
import { updateTable } from "./table.js";
import { typeCheck } from "./type-check.js";

// Runs the projects of the table, or those that are named as arguments, one after the other.

interface Run {
  project: string;
  title: string;
  passes(): boolean;
}

/** The tests of a project, on each Node. */
function testRuns(project: Project, tarball: string): Run[] {
  return nodesOf(project).map((version) => ({
    project: project.name,
    title: `${project.name} on Node ${version}`,
    passes() {
      const node = project.borrows ? process.execPath : installNode(version);
      const { status } = spawnSync("npm", ["test", "--silent"], {
        cwd: prepare(project, tarball, node),
        env: environment(node),
        stdio: ["ignore", "inherit", "inherit"],
      });
      return status === 0;
    },
  }));
}

/** Its types, by each TypeScript. */
function typeRuns(project: Project, tarball: string): Run[] {
  const { name, types } = project;
  if (!types) return [];
  const table = Object.entries(types.by) as [TypeScript, Resolution[]][];
  return table.flatMap(([typescript, resolutions]) =>
    resolutions.map((resolution) => ({
      project: name,
      title: `${name} under TypeScript ${typescript}, ${resolution}`,
      passes() {
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
  const runs = chosen.flatMap((project) => [...testRuns(project, tarball), ...typeRuns(project, tarball)]);
  const failed = runs.filter(({ title, passes }) => {
    console.log(`\n== ${title}`);
    return !passes();
  });
  remove();
  const failing = new Set(failed.map(({ project }) => project));
  updateTable(new Map(chosen.map(({ name }) => [name, !failing.has(name)])));
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
