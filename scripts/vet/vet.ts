import { isObject, type JsonObject } from "../openapi/json.js";
import { refusal } from "./refuse.js";
import { vetComposition } from "./vet-composition.js";
import { vetOperations } from "./vet-operations.js";
import { vetReferences } from "./vet-references.js";
import { vetSchemas } from "./vet-schemas.js";
import { vetStructure } from "./vet-structure.js";

/**
 * The document, if it is one that the generator may be let loose on.
 *
 * @throws Refusal when it is not.
 */
export function vet(document: unknown): JsonObject {
  if (!isObject(document)) throw refusal("not-openapi", "it is not a JSON object");
  if (typeof document.openapi !== "string" || !/^3\.[01]\.\d+/.test(document.openapi)) {
    throw refusal("not-openapi", "it is not OpenAPI 3.0 or 3.1");
  }
  vetReferences(document);
  vetStructure(document);
  vetSchemas(document);
  vetComposition(document);
  vetOperations(document);
  return document;
}
