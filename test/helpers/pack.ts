import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "./repository.js";

/** Builds the package and packs it as npm would publish it. */
export function pack(root = repository) {
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-packed-"));
  const npm = (...args: string[]) =>
    execFileSync("npm", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  npm("run", "build");
  const [{ filename, files }] = JSON.parse(
    npm("pack", "--json", "--ignore-scripts", "--pack-destination", folder),
  );
  return {
    tarball: join(folder, filename),
    /** The paths of the files in the package. */
    files: files.map(({ path }: { path: string }): string => path) as string[],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
