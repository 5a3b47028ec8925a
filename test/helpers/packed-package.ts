import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The package as npm would publish it, and the files in it. */
    packed: { tarball: string; files: string[] };
  }
}

const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-packed-"));

/** Builds and packs once for all test files, which would empty each other's `dist` otherwise. */
export function setup({ provide }: TestProject): void {
  const npm = (...args: string[]) =>
    execFileSync("npm", args, {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  npm("run", "build");
  const [{ filename, files }] = JSON.parse(
    npm("pack", "--json", "--ignore-scripts", "--pack-destination", folder),
  );
  provide("packed", {
    tarball: join(folder, filename),
    files: files.map(({ path }: { path: string }) => path),
  });
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
