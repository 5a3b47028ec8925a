import { canonicalJson, type JsonObject } from "../openapi/json.js";
import { parseStrictJson } from "./strict-json.js";
import { vet } from "./vet.js";

/**
 * The document, vetted, with keys in canonical order so that nothing made from it depends on theirs.
 *
 * @throws Refusal when it is not one that the SDK can be made from.
 */
export function parseDocument(text: string): JsonObject {
  const document = vet(parseStrictJson(text));
  return JSON.parse(canonicalJson(document)) as JsonObject;
}

/** The text that the document has in the repository. */
export function documentText(document: JsonObject): string {
  return `${canonicalJson(document)}\n`;
}
