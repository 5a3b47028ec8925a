import { spawnSync } from "node:child_process";
import { pack } from "../helpers/pack.js";
import { environment, installNode, prepare } from "./prepare.js";
import { type Project, projects } from "./projects.js";

// Runs the projects of the table, or those that are named as arguments, one after the other.

interface Run {
  title: string;
  project: Project;
  /** The executable. */
  node: string;
}

function runsOf(project: Project): Run[] {
  const { name, nodes } = project;
  const current = { title: `${name} on Node ${process.version.slice(1)}`, project, node: process.execPath };
  return (
    nodes?.map((version) => ({
      title: `${name} on Node ${version}`,
      project,
      node: installNode(version),
    })) ?? [current]
  );
}

/** @returns whether its tests have passed */
function run({ title, project, node }: Run, tarball: string): boolean {
  console.log(`\n== ${title}`);
  const folder = prepare(project, tarball, node);
  const { status } = spawnSync("npm", ["test", "--silent"], {
    cwd: folder,
    env: environment(node),
    stdio: ["ignore", "inherit", "inherit"],
  });
  return status === 0;
}

function runAll(chosen: Project[]): void {
  const { tarball, remove } = pack();
  const runs = chosen.flatMap(runsOf);
  const failed = runs.filter((one) => !run(one, tarball));
  remove();
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
