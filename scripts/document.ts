import { readFile } from "node:fs/promises";
import { canonicalJson, type JsonObject } from "./json.js";
import { vet } from "./vet.js";

/** The document, vetted, with keys in canonical order so that nothing made from it depends on theirs. */
export function parseDocument(text: string): JsonObject {
  const document = vet(parseJson(text));
  return JSON.parse(canonicalJson(document)) as JsonObject;
}

export async function readDocument(file: string): Promise<JsonObject> {
  return parseDocument(await readFile(file, "utf8"));
}

/** The text that the document has in the repository. */
export function documentText(document: JsonObject): string {
  return `${canonicalJson(document)}\n`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Failed to read the document: ${(error as Error).message}. Please give it as JSON.`);
  }
}
