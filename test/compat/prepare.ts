import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Project, TypeScript } from "./projects.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Outside the repository, so that nothing of it is found by accident; kept, so that a second run installs nothing. */
const workFolder = join(tmpdir(), "screenshot-sets-compat");

/** The environment of a shell in which `node` is the given one. */
export function environment(node: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
}

/** The executable of a version of Node, from npm. */
export function installNode(version: string): string {
  const folder = join(workFolder, `node-${version}`);
  const executable = join(folder, "node_modules", "node", "bin", "node");
  if (!existsSync(executable)) {
    mkdirSync(folder, { recursive: true });
    npm(folder, process.execPath, "install", "--no-save", "--prefix", folder, `node@${version}`);
  }
  return executable;
}

/** The compiler of a version of TypeScript, to be run by Node. */
export function installTypeScript(version: TypeScript): string {
  if (version === "installed") return here("../../node_modules/typescript/bin/tsc");
  const folder = join(workFolder, "typescripts");
  cpSync(here("typescripts"), folder, { recursive: true });
  install(folder, process.execPath);
  return join(folder, "node_modules", `typescript-${version}`, "bin", "tsc");
}

/** A folder with the project, what it installs, and the packed package as if it were installed with the rest. */
export function prepare(project: Project, tarball: string, node: string): string {
  const { name, suite = [], types, borrows } = project;
  const folder = join(workFolder, name);
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(folder)) {
    if (entry !== "node_modules") rmSync(join(folder, entry), { recursive: true });
  }
  cpSync(here(`projects/${name}`), folder, { recursive: true });
  for (const file of [...suite, ...(types?.files ?? [])]) cpSync(here(`suite/${file}`), join(folder, file));
  if (borrows) borrow(folder, borrows);
  else install(folder, node);
  const own = join(folder, "node_modules", "screenshot-sets");
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", own, "--strip-components", "1"]);
  return folder;
}

function borrow(folder: string, names: string[]): void {
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  for (const name of names) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(here(`../../node_modules/${name}`), link, "junction");
  }
}

/** The folder of a project, if it was prepared before and has installed what its lock file says today. */
export function preparedBefore(name: string): string | undefined {
  const folder = join(workFolder, name);
  return hasInstalled(folder, here(`projects/${name}/package-lock.json`)) ? folder : undefined;
}

/** The lock file of what a folder has installed. */
const installedLock = (folder: string) => join(folder, "node_modules", ".installed-lock.json");

function hasInstalled(folder: string, lock: string): boolean {
  const installed = installedLock(folder);
  return existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lock, "utf8");
}

function install(folder: string, node: string): void {
  const lock = join(folder, "package-lock.json");
  if (hasInstalled(folder, lock)) return;
  npm(folder, node, "ci", "--ignore-scripts");
  cpSync(lock, installedLock(folder));
}

function npm(folder: string, node: string, ...args: string[]): void {
  execFileSync("npm", [...args, "--no-audit", "--no-fund"], {
    cwd: folder,
    env: environment(node),
    stdio: ["ignore", "ignore", "inherit"],
  });
}
