import { isObject, type JsonObject, mapObject } from "../openapi/json.js";
import { canonicalPaths, jobPath, knownOperations } from "../openapi/known-operations.js";
import { jsonContent, mapJson, mapOperations, operationsOf, parametersOf } from "../openapi/operations.js";
import { resolve } from "../openapi/references.js";
import { nonEmptyText } from "./edit-schema.js";
import { hoistReferences } from "./hoist-references.js";
import { applyServiceRules } from "./service-rules.js";
import { simplifySchemas } from "./simplify-schemas.js";

/** Each takes the whole document and returns a copy, in fewer forms than before or with one of the SDK's own rules. */
const rewrites: ((document: JsonObject) => JsonObject)[] = [
  hoistReferences,
  simplifySchemas,
  canonicalisePaths,
  nameJsonPlainly,
  nameOperations,
  nameJobParameter,
  applyServiceRules,
  (document) => ({ ...document, openapi: "3.1.0" }),
];

/** The document that everything is generated from. */
export function normalise(document: JsonObject): JsonObject {
  return rewrites.reduce((current, rewrite) => rewrite(current), document);
}

/** Every path without the server's prefix, and with its operations in place. */
function canonicalisePaths(document: JsonObject): JsonObject {
  const paths = document.paths as JsonObject;
  const items = [...canonicalPaths(document)].map(([path, name]) => [name, resolve(document, paths[path])]);
  return { ...document, paths: Object.fromEntries(items) };
}

/** JSON bodies and answers under the name `application/json`, whatever else they are called. */
function nameJsonPlainly(document: JsonObject): JsonObject {
  const named = (message: unknown) => {
    const json = jsonContent(resolve(document, message).content);
    return json?.mediaType === "application/json" ? message : mapJson(document, message, (entry) => entry);
  };
  return mapOperations(document, ({ requestBody, ...operation }) => ({
    ...operation,
    ...(isObject(requestBody) && { requestBody: named(requestBody) }),
    responses: mapObject(operation.responses, named),
  }));
}

/** The SDK's names belong to its own operations, whatever others are called. */
function nameOperations(document: JsonObject): JsonObject {
  const names = new Set<unknown>(knownOperations.map(({ name }) => name));
  return mapOperations(document, ({ operationId, ...operation }, known) => {
    if (known) return { ...operation, operationId: known.name };
    return operationId === undefined || names.has(operationId) ? operation : { ...operation, operationId };
  });
}

/** The job's id under the name that it has in the canonical path, never empty, and declared by each operation. */
function nameJobParameter(document: JsonObject): JsonObject {
  const paths = document.paths as JsonObject;
  const { parameters, ...pathItem } = paths[jobPath] as JsonObject;
  const operations = operationsOf(pathItem).map(([method, operation]) => {
    const all = parametersOf(document, { parameters }, operation);
    const inPath = all.find((parameter) => parameter.in === "path") ?? { in: "path" };
    const id = { ...inPath, name: "id", required: true, schema: nonEmptyText(document, inPath.schema) };
    const others = all.filter((parameter) => parameter.in !== "path");
    return [method, { ...operation, parameters: [id, ...others] }];
  });
  const jobItem = { ...pathItem, ...Object.fromEntries(operations) };
  return { ...document, paths: { ...paths, [jobPath]: jobItem } };
}
