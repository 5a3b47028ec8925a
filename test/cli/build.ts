import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The built command. */
    command: string;
  }
}

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the command once for all its tests, into a separate folder, because `dist` belongs to other tests. */
export function setup({ provide }: TestProject): () => void {
  rmSync(join(repository, "coverage", "cli"), { recursive: true, force: true });
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-cli-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const tsup = join(repository, "node_modules", "tsup", "dist", "cli-default.js");
  const flags = ["--silent", "--no-dts", "--out-dir", join(folder, "dist")];
  execFileSync(process.execPath, [tsup, ...flags], {
    cwd: repository,
    stdio: ["ignore", "ignore", "inherit"],
  });
  provide("command", join(folder, "dist", "cli", "main.js"));
  return () => rmSync(folder, { recursive: true, force: true });
}
