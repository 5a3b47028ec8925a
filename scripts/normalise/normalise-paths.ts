import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { canonicalPaths, knownOperations } from "../openapi/known-operations.js";
import { jsonContent, operationsOf } from "../openapi/media-types.js";
import { resolve } from "../openapi/references.js";

/** The document's paths in canonical form, with JSON bodies and answers under the plain name `application/json`. */
export function normalisePaths(document: JsonObject): JsonObject {
  const canonical = canonicalPaths(document);
  const names = new Set<unknown>(knownOperations.map(({ name }) => name));
  return Object.fromEntries(
    [...canonical].map(([path, canonicalPath]) => {
      const item = (document.paths as JsonObject)[path];
      const pathItem = structuredClone(resolve(document, item));
      for (const [, operation] of operationsOf(pathItem)) {
        // The SDK's names belong to its own operations, whatever others are called.
        if (names.has(operation.operationId)) delete operation.operationId;
        nameMediaTypes(document, operation);
      }
      return [canonicalPath, pathItem];
    }),
  );
}

function nameMediaTypes(document: JsonObject, operation: JsonObject): void {
  if (isObject(operation.requestBody)) operation.requestBody = withPlainJson(document, operation.requestBody);
  const responses = membersOf(operation.responses).map(([status, response]) => {
    return [status, withPlainJson(document, response)];
  });
  operation.responses = Object.fromEntries(responses);
}

function withPlainJson(document: JsonObject, message: unknown): unknown {
  const resolved = resolve(document, message);
  const json = jsonContent(resolved.content);
  if (!json || json.mediaType === "application/json") return message;
  const others = membersOf(resolved.content).filter(([mediaType]) => mediaType !== json.mediaType);
  return { ...resolved, content: { ...Object.fromEntries(others), "application/json": json.entry } };
}
