import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { documentText } from "./document.js";
import { emitOperations } from "./emit-operations.js";
import { emitTypes } from "./emit-types.js";
import { emitValues } from "./emit-values.js";
import type { JsonObject } from "./json.js";
import { normalise } from "./normalise.js";

/** Where the generator reads and writes. */
export interface Places {
  /** The document's file, `openapi.json`. */
  document: string;
  /** The folder that holds what is generated, and nothing else. */
  generated: string;
}

/** The generated files, by name. */
export async function generateFiles(document: JsonObject): Promise<Map<string, string>> {
  const normalised = normalise(document);
  return new Map([
    ["openapi.ts", await emitTypes(normalised)],
    ["operations.ts", emitOperations(normalised)],
    ["values.ts", emitValues(normalised)],
  ]);
}

/** Writes the generated files, then the document, so that a failure leaves no document without its files. */
export async function writeFiles(document: JsonObject, places: Places): Promise<void> {
  const files = await generateFiles(document);
  await mkdir(places.generated, { recursive: true });
  // Beside the target, as a rename is only atomic within one file system.
  const draft = await mkdtemp(path.join(path.dirname(places.document), ".generated-"));
  try {
    for (const [name, text] of files) {
      await writeFile(path.join(draft, name), text);
    }
    await writeFile(path.join(draft, "openapi.json"), documentText(document));
    for (const name of files.keys()) {
      await rename(path.join(draft, name), path.join(places.generated, name));
    }
    for (const name of await readdir(places.generated)) {
      if (!files.has(name)) {
        await rm(path.join(places.generated, name), { recursive: true });
      }
    }
    await rename(path.join(draft, "openapi.json"), places.document);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** One line for each file that is not what the document asks for; none when all are. */
export async function findDrift(document: JsonObject, places: Places): Promise<string[]> {
  const files = await generateFiles(document);
  const drift: string[] = [];
  const compare = async (file: string, expected: string) => {
    const label = path.relative(path.dirname(places.document), file);
    const actual = await readText(file);
    if (actual === undefined) {
      drift.push(`${label} is missing`);
    } else if (actual !== expected) {
      drift.push(`${label} is not what openapi.json asks for`);
    }
  };
  await compare(places.document, documentText(document));
  for (const [name, expected] of files) {
    await compare(path.join(places.generated, name), expected);
  }
  for (const name of (await readdir(places.generated).catch(() => [])).sort()) {
    if (!files.has(name)) {
      const label = path.relative(path.dirname(places.document), path.join(places.generated, name));
      drift.push(`${label} is not generated`);
    }
  }
  return drift;
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}
