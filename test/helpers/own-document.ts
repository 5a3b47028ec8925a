import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleDocument, generate } from "./generated-module.js";
import { repository } from "./repository.js";

// Tests of the source and of the command line run with a document of their own, so that its prices, devices and limits
// stay true in them whatever the service's document comes to say.

/** Writes the modules generated from that document, which the source imports in tests in place of the service's. */
export async function setup(): Promise<void> {
  const folder = join(repository, "test/.document");
  for (const part of ["generated", "schema"]) mkdirSync(join(folder, part), { recursive: true });
  writeModules(join(folder, "generated"), await generate(exampleDocument()));
  for (const name of ["kinds", "parse"]) {
    writeFileSync(join(folder, "schema", `${name}.ts`), `export * from "../../../src/schema/${name}.js";\n`);
  }
}

/** Where the package with that document can be built: the repository, as long as the service's says the same. */
export async function rootWithOwnDocument(): Promise<string> {
  const modules = await generate(exampleDocument());
  const generated = join(repository, "src/generated");
  if ([...modules].every(([name, code]) => readFileSync(join(generated, name), "utf8") === code)) {
    return repository;
  }
  const root = mkdtempSync(join(tmpdir(), "screenshot-sets-"));
  for (const name of readdirSync(repository)) {
    if (!/^(?:\.|node_modules$|dist$|test$|bench$)/.test(name)) {
      cpSync(join(repository, name), join(root, name), { recursive: true });
    }
  }
  writeModules(join(root, "src/generated"), modules);
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"), "junction");
  return root;
}

function writeModules(folder: string, modules: Map<string, string>): void {
  for (const [name, code] of modules) writeFileSync(join(folder, name), code);
}
