import { isObject, type JsonObject } from "../openapi/json.js";
import { canonicalPaths, knownOperations } from "../openapi/known-operations.js";
import { answerSchemas, bodySchema, operationsOf } from "../openapi/operations.js";
import { resolve } from "../openapi/walk.js";
import { Refusal } from "../refusal.js";

/** Checks that the operations that the SDK has methods for exist, with their bodies and answers. */
export function vetOperations(document: JsonObject): void {
  const paths = canonicalPaths(document);
  if (new Set(paths.values()).size < paths.size) {
    throw new Refusal("duplicate-path", "two of its paths are the same one");
  }
  for (const { name, method, path } of knownOperations) {
    const label = `${name} (${method.toUpperCase()} ${path})`;
    const key = [...paths].find(([, canonical]) => canonical === path)?.[0];
    const operation = resolve(document, key && (document.paths as JsonObject)[key])[method];
    if (!isObject(operation)) throw new Refusal("missing-operation", `it lacks ${label}`);
    if (method === "post" && bodySchema(document, operation) === undefined) {
      throw new Refusal("missing-body", `${label} takes no JSON body`);
    }
    if (answerSchemas(document, operation).length === 0) {
      throw new Refusal("missing-answer", `${label} has no 2xx answer with a JSON body`);
    }
  }
}

/** Refuses a document that lacks many released operations: it is more likely incomplete than right. */
export function vetSuccession(released: JsonObject, document: JsonObject): void {
  const present = operationLabels(document);
  const known = operationLabels(released);
  const lost = known.filter((label) => !present.includes(label));
  if (lost.length * 3 > known.length) {
    throw new Refusal("operations-lost", `it lacks ${lost.length} of ${known.length} released operations`);
  }
}

function operationLabels(document: JsonObject): string[] {
  return [...canonicalPaths(document)].flatMap(([key, path]) => {
    const operations = operationsOf(resolve(document, (document.paths as JsonObject)[key]));
    return operations.map(([method]) => `${method} ${path.replace(/\{[^{}]*\}/g, "{}")}`);
  });
}
