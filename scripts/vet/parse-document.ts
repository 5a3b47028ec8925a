import { withCanonicalPaths } from "../openapi/canonical-paths.js";
import { hoistReferences } from "../openapi/hoist-references.js";
import { canonicalJson, isObject, type JsonObject } from "../openapi/json.js";
import { withSuccesses } from "../openapi/operations.js";
import { splitPaths } from "../openapi/split-paths.js";
import { Refusal, visible } from "../refusal.js";
import { parseStrictJson } from "./parse-strict-json.js";
import { vetOperations } from "./vet-operations.js";
import { vetStructure } from "./vet-structure.js";
import { vetOutside, vetValues } from "./vet-values.js";

/**
 * Parses and checks a document. Its keys get canonical order, so that their original order has no effect.
 *
 * @throws Refusal when the SDK cannot be generated from it.
 */
export function parseDocument(text: string): JsonObject {
  const document = parseStrictJson(text);
  if (!isObject(document)) throw new Refusal("not-openapi", "it is not a JSON object");
  if (typeof document.openapi !== "string" || !/^3\.[0-2]\.\d+/.test(document.openapi)) {
    throw new Refusal("not-openapi", "it is not OpenAPI 3.0, 3.1 or 3.2");
  }
  vetOutside(document);
  const { own, further } = splitPaths(document);
  vetValues(document, own.paths);
  const hoisted = hoistReferences(own, document);
  vetStructure(hoisted);
  vetOperations(withSuccesses(withCanonicalPaths(hoisted)), further);
  return JSON.parse(canonicalJson(document)) as JsonObject;
}

/** The text that the document has in the repository. */
export function documentText(document: JsonObject): string {
  return visible(`${canonicalJson(document)}\n`);
}
