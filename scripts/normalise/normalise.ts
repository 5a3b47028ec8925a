import { hoistReferences } from "../openapi/hoist-references.js";
import { type JsonObject, mapObject } from "../openapi/json.js";
import { typesOf, valuesOf } from "../openapi/keywords.js";
import { jobPath, knownOperations, parametersIn } from "../openapi/known-operations.js";
import {
  bodySchema,
  jsonContent,
  mapJson,
  mapMessages,
  mapOperations,
  sentMediaType,
  withOwnParameters,
  withSuccesses,
} from "../openapi/operations.js";
import { splitPaths, withCanonicalPaths } from "../openapi/paths.js";
import { inline, withUsedSchemas } from "../openapi/walk.js";
import { type LeaveOut, withFurtherOperations, withSoundSchemas } from "../vet/take-in.js";
import { listKinds } from "./list-kinds.js";
import { withoutNumbersAsText } from "./numbers-as-text.js";
import { opaqueId, plainBody, withPlainAnswer } from "./plain-messages.js";
import { simplifySchemas } from "./simplify-schemas.js";
import { withoutHidden } from "./split-directions.js";

/**
 * Each makes a document simpler or applies a rule of the SDK, in an order that matters: kinds are listed while subtypes still
 * refer to their base, paths are plain before the known operations are looked for, and media types before bodies are read.
 * The SDK's rules compose schemas anew, so these are simplified once more.
 */
const rewrites: ((document: JsonObject, leaveOut: LeaveOut) => JsonObject)[] = [
  withSoundSchemas,
  listKinds,
  simplifySchemas,
  withoutNumbersAsText,
  withCanonicalPaths,
  withSuccesses,
  nameJsonPlainly,
  nameOperations,
  nameIds,
  plainOperations,
  simplifySchemas,
  withoutHidden,
  withUsedSchemas,
  (document) => ({ ...document, openapi: "3.1.0" }),
];

/** The document that all is generated from. `leaveOut` is told what of further operations cannot be taken in. */
export function normalise(document: JsonObject, leaveOut: LeaveOut = () => {}): JsonObject {
  const rewritten = (part: JsonObject) =>
    rewrites.reduce((current, rewrite) => rewrite(current, leaveOut), hoistReferences(part, document));
  try {
    return rewritten(withFurtherOperations(document, leaveOut));
  } catch (error) {
    const own = rewritten(splitPaths(document).own);
    leaveOut("every further operation", (error as Error).message);
    return own;
  }
}

/** Lists JSON bodies and answers under `application/json`. What one is sent as stays beside it. */
function nameJsonPlainly(document: JsonObject): JsonObject {
  return mapMessages(document, (message) => {
    const { mediaType } = jsonContent(Object(message).content) ?? {};
    // A wildcard names no type that could be sent.
    const mark = mediaType && !mediaType.includes("*") ? { [sentMediaType]: mediaType } : {};
    return mapJson({ ...Object(message), ...mark }, (entry) => entry);
  });
}

/**
 * Names the SDK's operations, and removes these names, those of an earlier one and those that every object has, such as
 * `toString`, from all others.
 */
function nameOperations(document: JsonObject): JsonObject {
  const names = new Set<unknown>([
    ...knownOperations.map(({ name }) => name),
    ...Object.getOwnPropertyNames(Object.prototype),
  ]);
  return mapOperations(document, ({ operationId, ...operation }, known) => {
    if (known) return { ...operation, operationId: known.name };
    if (operationId === undefined || names.has(operationId)) return operation;
    names.add(operationId);
    return { ...operation, operationId };
  });
}

/** Names the id in each path of the SDK's operations as callers know it. */
function nameIds(document: JsonObject): JsonObject {
  const paths = mapObject(document.paths, (item, path) => {
    const names = parametersIn(path);
    if (names.length === 0 || !knownOperations.some((known) => known.path === path)) return item;
    return withOwnParameters(item, (parameters) => {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      const others = inPath.filter(({ name }) => !names.includes(String(name)));
      const ids = names.map((name) => {
        const own = inPath.find((parameter) => parameter.name === name) ?? others.shift() ?? { in: "path" };
        const stated = inline(document, own.schema);
        const isText = typesOf(stated).includes("string") && valuesOf(stated) === undefined;
        const schema = isText || path === jobPath ? opaqueId(document, own.schema) : own.schema;
        return { ...own, name, required: true, schema };
      });
      return [...ids, ...parameters.filter((parameter) => parameter.in !== "path")];
    });
  });
  return { ...document, paths };
}

/** Normalises the bodies and answers of the SDK's operations. */
function plainOperations(document: JsonObject): JsonObject {
  return mapOperations(document, (operation, known) => {
    if (!known) return operation;
    const answered = withPlainAnswer(document, operation, known);
    if (bodySchema(operation) === undefined) return answered;
    const body = (entry: JsonObject) => ({ ...entry, schema: plainBody(document, known.name, entry.schema) });
    const requestBody = Object(mapJson(operation.requestBody, body)) as JsonObject;
    // Without a body, there is nothing to create from.
    return { ...answered, requestBody: { ...requestBody, ...(known.takesBody && { required: true }) } };
  });
}
