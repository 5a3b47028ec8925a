import { readFileSync } from "node:fs";
import ts from "typescript";
import { generateFiles } from "../../scripts/emit/generate-files.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import * as kinds from "../../src/schema/kinds.js";
import * as schema from "../../src/schema/parse.js";

/** One operation of a generated table, with its schemas. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  body: schema.Schema | undefined;
  answer: schema.Schema | undefined;
}

export interface GeneratedModule {
  createApp: Operation;
  createScreenshots: Operation;
  getJob: Operation;
  operations: Operation[];
  devices: string[];
  setCost: number;
  highestSetCost: number;
  defaultCount: number;
  answers: Record<string, unknown>;
  slides: Record<string, unknown>[];
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into the document at will
export type Document = any;

/**
 * A fresh copy of an example document, so that a test may change it. It is not the repository's document, whose form
 * may change with each pull.
 */
export function exampleDocument(): Document {
  return JSON.parse(readFileSync(new URL("example-document.json", import.meta.url), "utf8"));
}

/** The example after `change`. */
export function changed(change: (document: Document) => void): Document {
  const document = exampleDocument();
  change(document);
  return document;
}

export async function generate(document: Document): Promise<Map<string, string>> {
  return generateFiles(parseDocument(JSON.stringify(document)));
}

/** Generates the modules of a document, runs them in memory, and returns their exports. */
export async function load(document: Document): Promise<GeneratedModule> {
  return loadFiles(await generate(document));
}

/** Runs generated modules in memory and returns their exports. */
export function loadFiles(files: Map<string, string>): GeneratedModule {
  const exports = {};
  const require = (name: string) => (name === "../schema/kinds.js" ? kinds : schema);
  for (const name of ["operations.ts", "samples.ts", "values.ts"]) {
    const { outputText } = ts.transpileModule(files.get(name) as string, {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    new Function("exports", "require", outputText)(exports, require);
  }
  return exports as GeneratedModule;
}

/** The differences between a value and a schema; empty if there are none. */
export function issuesOf(of: schema.Schema | undefined, value: unknown): schema.Issue[] {
  if (!of) throw new Error("Expected the operation to have this schema");
  const result = schema.parse(of, value);
  return result.ok ? [] : result.issues;
}
