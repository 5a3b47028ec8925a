import { isObject, type JsonObject } from "../openapi/json.js";
import { isNumberType, typesOf } from "../openapi/keywords.js";
import { knownOperations, parametersIn } from "../openapi/known-operations.js";
import {
  answerSchemas,
  bodySchema,
  isIdempotencyKey,
  operationsIn,
  sentMediaType,
} from "../openapi/operations.js";
import { sentPath } from "../openapi/paths.js";
import { partsOf, resolve } from "../openapi/walk.js";

/** What the generated code says of an operation. */
export type OperationFacts = ReturnType<typeof operationFacts>[number];

/** What the generated code says of each operation of a normalised document, those with SDK methods first. */
export function operationFacts(document: JsonObject) {
  const all = operationsIn(document).map(({ known, method, path, operation, parameters }) => ({
    known,
    name: String(operation.operationId ?? `${method.toUpperCase()} ${path}`),
    method: method.toUpperCase(),
    path,
    pathParameters: parametersIn(path),
    numericParameters: parameters
      .filter((parameter) => parameter.in === "path")
      .filter(({ schema }) => [resolve(document, schema).type].flat().some(isNumberType))
      .map(({ name }) => name),
    /** The path as it is sent, if callers know it in another form. */
    sentPath: operation[sentPath],
    /** The media type in which a JSON body is sent. */
    mediaType: operation.requestBody && (Object(operation.requestBody)[sentMediaType] ?? "application/json"),
    /** How lists and objects are written into the query, by parameter. */
    queryStyles: queryStylesOf(document, parameters),
    /** The header of the idempotency key, in lower case. */
    idempotencyHeader: parameters.find(isIdempotencyKey)?.name?.toString().toLowerCase(),
    isKeyRequired: parameters.some((one) => isIdempotencyKey(one) && one.required === true),
    isDeprecated: operation.deprecated === true,
    parameters,
    body: bodySchema(operation),
    answers: answerSchemas(operation),
  }));
  const known = knownOperations.flatMap((row) => all.filter((one) => one.known === row));
  return [...known, ...all.filter((one) => !one.known)];
}

/** How the document writes the lists and objects of a query. A parameter with `content` is JSON. */
function queryStylesOf(document: JsonObject, parameters: JsonObject[]) {
  const styles = parameters.flatMap(({ in: place, name, schema, content, style = "form", ...parameter }) => {
    const types = partsOf(document, schema).flatMap(typesOf);
    const isComposed = isObject(content) || types.includes("array") || types.includes("object");
    if (place !== "query" || !isComposed) return [];
    const { explode = style === "form", allowReserved = false } = parameter;
    return [[name, isObject(content) ? { style: "json" } : { style, explode, allowReserved }]];
  });
  return styles.length > 0 ? Object.fromEntries(styles) : undefined;
}
