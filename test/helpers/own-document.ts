import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exampleDocument, generate } from "./generated-module.js";

/**
 * Writes the modules that are generated from a document of the tests' own. The tests of the source run on them, so that
 * their prices, devices and limits stay true whatever the service's document comes to say.
 */
export async function setup(): Promise<void> {
  const folder = fileURLToPath(new URL("../.document", import.meta.url));
  for (const part of ["generated", "schema"]) mkdirSync(join(folder, part), { recursive: true });
  for (const [name, code] of await generate(exampleDocument())) {
    writeFileSync(join(folder, "generated", name), code);
  }
  for (const name of ["kinds", "parse"]) {
    writeFileSync(join(folder, "schema", `${name}.ts`), `export * from "../../../src/schema/${name}.js";\n`);
  }
}
