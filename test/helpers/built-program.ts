import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Options } from "tsup";

/** What a program finds among the installed packages. */
const external = [
  ..."@aws-sdk/client-sqs @dbos-inc/dbos-sdk bullmq graphile-worker kysely".split(" "),
  ..."pg pg-boss pg-boss-10 postgres".split(" "),
];

/** Builds a program of this folder for Node, for the tests of one file, which start it and kill it. */
export const buildProgram = (name: string, forTests: string) =>
  buildInto(fileURLToPath(new URL(`../.${forTests}`, import.meta.url)), name);

/** Builds a program of this folder for Node into another one. */
export async function buildInto(folder: string, name: string, more: Pick<Options, "esbuildPlugins"> = {}) {
  await build({
    entry: [`test/helpers/${name}.ts`],
    outDir: folder,
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    external,
    noExternal: ["openapi-fetch", /^zod/],
    ...more,
  });
  return {
    path: join(folder, `${name}.js`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
