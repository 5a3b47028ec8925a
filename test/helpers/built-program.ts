import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

/** Builds a program of this folder for Node, for the tests of one file, which start it and kill it. */
export async function buildProgram(name: string, forTests: string) {
  const folder = fileURLToPath(new URL(`../.${forTests}`, import.meta.url));
  await build({
    entry: [`test/helpers/${name}.ts`],
    outDir: folder,
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    external: ["bullmq"],
    noExternal: ["openapi-fetch", /^zod/],
  });
  return {
    path: join(folder, `${name}.js`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Numbers from 0 to 1 that are the same for the same seed. */
export function drawFrom(seed: number): () => number {
  const modulus = 2 ** 31 - 1;
  let state = (seed * 48_271 + 11) % modulus;
  return () => {
    state = (state * 48_271) % modulus;
    return state / modulus;
  };
}
