import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** This package, among its peers. */
export const own = "screenshot-sets";

/** A file of the built package. It is measured because it is what users run. */
export const builtFile = (path: string) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));

/** An entry point of the built package. Importing it by name would load the source. */
export function built<Module>(path: string): Promise<Module> {
  return import(new URL(`../dist/${path}`, import.meta.url).href);
}

export const ours = () => built<typeof import("screenshot-sets")>("index.js");

export const ourMock = () => built<typeof import("screenshot-sets/mock")>("mock/index.js");

/**
 * A package that is installed in this folder and not in the project. The caller states its shape, so that the types of
 * this folder can be checked without the installation.
 */
export function peer<Shape>(name: string): Promise<Shape> {
  return import(name);
}

/** Installs the peers unless the versions in package.json are installed. */
export function installPeers(): void {
  const read = (path: string) => (existsSync(folder + path) ? readFileSync(folder + path, "utf8") : "{}");
  const wanted = Object.entries(peerVersions());
  const installed = JSON.parse(read("node_modules/.package-lock.json")).packages ?? {};
  if (wanted.every(([name, version]) => installed[`node_modules/${name}`]?.version === version)) return;
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}

/** The exact version of each peer that is measured. */
export function peerVersions(): Record<string, string> {
  return JSON.parse(readFileSync(`${folder}package.json`, "utf8")).dependencies;
}
