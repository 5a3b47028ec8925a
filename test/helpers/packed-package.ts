import type { TestProject } from "vitest/node";
import { pack } from "./pack.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The package as npm would publish it, and the files in it. */
    packed: { tarball: string; files: string[] };
  }
}

/** Builds and packs once for all test files, which would empty each other's `dist` otherwise. */
export function setup({ provide }: TestProject): () => void {
  const { tarball, files, remove } = pack();
  provide("packed", { tarball, files });
  return remove;
}
