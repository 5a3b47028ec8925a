import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { pack } from "./pack.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The package as npm would publish it, and the files in it. */
    packed: { tarball: string; files: string[] };
    /** The built command. */
    command: string;
  }
}

const repository = new URL("../../", import.meta.url);

/** Each project loads its own copy of this file, but all projects share one process. */
const shared = globalThis as { packedForTests?: ReturnType<typeof pack> | undefined };

/** Builds and packs once for all projects, which would otherwise empty each other's `dist`. */
export function setup({ provide }: TestProject): () => void {
  if (!shared.packedForTests) {
    rmSync(new URL("coverage/cli", repository), { recursive: true, force: true });
    shared.packedForTests = pack();
  }
  const { tarball, files, remove } = shared.packedForTests;
  provide("packed", { tarball, files });
  provide("command", fileURLToPath(new URL("dist/cli/main.js", repository)));
  return () => {
    shared.packedForTests = undefined;
    remove();
  };
}
