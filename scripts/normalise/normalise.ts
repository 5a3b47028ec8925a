import type { JsonObject } from "../openapi/json.js";
import { type KnownName, knownOperations } from "../openapi/known-operations.js";
import { mapDocumentSchemas } from "../openapi/map-schemas.js";
import { jsonContent, parametersOf, successes } from "../openapi/media-types.js";
import { resolve } from "../openapi/references.js";
import { nonEmptyText } from "./edit-schema.js";
import { hoistReferences } from "./hoist-references.js";
import { normalisePaths } from "./normalise-paths.js";
import { applyAnswerRules, applyBodyRules } from "./service-rules.js";
import { simplifySchema } from "./simplify-schema.js";

/** The document that everything is generated from: a copy in fewer forms, with the SDK's own rules put in. */
export function normalise(document: JsonObject): JsonObject {
  const hoisted = hoistReferences(document);
  const simplified = mapDocumentSchemas(hoisted, (schema, inlined) =>
    simplifySchema(hoisted, schema, inlined),
  );
  simplified.paths = normalisePaths(simplified);
  simplified.openapi = "3.1.0";
  for (const { name, method, path } of knownOperations) {
    const pathItem = (simplified.paths as JsonObject)[path] as JsonObject;
    const operation = pathItem[method] as JsonObject;
    operation.operationId = name;
    if (method === "post") applyToBody(simplified, operation, name);
    applyToAnswers(simplified, operation, name);
    nameParameter(simplified, pathItem, operation, path);
  }
  return simplified;
}

function applyToBody(document: JsonObject, operation: JsonObject, name: KnownName): void {
  const body = withJsonSchema(document, operation.requestBody, (schema) =>
    applyBodyRules(document, name, schema),
  );
  // Without a body there is nothing to create from.
  operation.requestBody = { ...(body as JsonObject), required: true };
}

function applyToAnswers(document: JsonObject, operation: JsonObject, name: KnownName): void {
  const responses = operation.responses as JsonObject;
  for (const [status, response] of successes(operation)) {
    responses[status] = withJsonSchema(document, response, (schema) =>
      applyAnswerRules(document, name, schema),
    );
  }
}

/** A copy of a body or an answer, in place of a reference to it, with its JSON schema changed. */
function withJsonSchema(
  document: JsonObject,
  message: unknown,
  change: (schema: unknown) => unknown,
): unknown {
  const copy = structuredClone(resolve(document, message));
  const json = jsonContent(copy.content);
  if (!json) return message;
  json.entry.schema = change(json.entry.schema);
  return copy;
}

/** Gives the path's parameter the name it has in the canonical path, and refuses an empty one. */
function nameParameter(
  document: JsonObject,
  pathItem: JsonObject,
  operation: JsonObject,
  path: string,
): void {
  const name = path.match(/\{(.+)\}/)?.[1];
  if (!name) return;
  const all = parametersOf(document, pathItem, operation);
  const inPath = all.find((parameter) => parameter.in === "path") ?? { in: "path" };
  const schema = nonEmptyText(document, inPath.schema);
  delete pathItem.parameters;
  operation.parameters = [
    { ...inPath, name, required: true, schema },
    ...all.filter((parameter) => parameter.in !== "path"),
  ];
}
