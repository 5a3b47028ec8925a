import { isObject, type JsonObject, membersOf } from "./json.js";
import { canonicalPaths, knownOperations } from "./known-operations.js";
import { answerSchemas, bodySchema } from "./media-types.js";
import { lookUp, resolve } from "./references.js";

/** The document, if it is one that the generator may be let loose on. */
export function vet(document: unknown): JsonObject {
  if (!isObject(document)) {
    throw refusal("it is not a JSON object");
  }
  if (typeof document.openapi !== "string" || !/^3\.[01]\.\d+/.test(document.openapi)) {
    throw refusal("it is not OpenAPI 3.0 or 3.1");
  }
  vetValue(document, document);
  vetOperations(document);
  return document;
}

/** Looks at every value, as references and keys do harm wherever they stand. */
function vetValue(document: JsonObject, value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach((item) => {
      vetValue(document, item);
    });
  }
  for (const [key, member] of membersOf(value)) {
    if (key === "__proto__") {
      throw refusal("it holds a key `__proto__`");
    }
    if (key === "$ref" && typeof member === "string") {
      vetReference(document, member);
    }
    vetValue(document, member);
  }
}

function vetReference(document: JsonObject, reference: string): void {
  if (!reference.startsWith("#/")) {
    throw refusal(`it refers to ${JSON.stringify(reference)}, outside of itself`);
  }
  if (lookUp(document, reference) === undefined) {
    throw refusal(`it refers to ${JSON.stringify(reference)}, which it does not hold`);
  }
}

function vetOperations(document: JsonObject): void {
  const paths = canonicalPaths(document);
  if (new Set(paths.values()).size < paths.size) {
    throw refusal("two of its paths are the same one");
  }
  for (const { name, method, path } of knownOperations) {
    const key = [...paths].find(([, canonical]) => canonical === path)?.[0];
    const pathItem = resolve(document, key && (document.paths as JsonObject)[key]);
    const operation = pathItem[method];
    const label = `${name} (${method.toUpperCase()} ${path})`;
    if (!isObject(operation)) {
      throw refusal(`it lacks ${label}`);
    }
    if (method === "post" && bodySchema(document, operation) === undefined) {
      throw refusal(`${label} takes no JSON body`);
    }
    if (answerSchemas(document, operation).length === 0) {
      throw refusal(`${label} has no 2xx answer with a JSON body`);
    }
  }
}

function refusal(reason: string): Error {
  return new Error(`Failed to accept the document: ${reason}. Please give the service's OpenAPI document.`);
}
