import {
  distinct,
  isObject,
  itemsOf,
  type JsonObject,
  mapObject,
  membersOf,
  sortedMembersOf,
} from "./json.js";
import { type KnownOperation, knownAt, knownOperations } from "./known-operations.js";

/** Media types of JSON, plainest first. The last two match anything, including JSON. */
const jsonMediaTypes = [
  /^application\/json$/i,
  /^application\/(?:[\w.+*-]+\+)?json\s*(?:;|$)/i,
  /^text\/json\s*(?:;|$)/i,
  /^application\/\*/,
  /^\*\/\*/,
];

/** Set on a body or an answer of a normalised document: the media type of its JSON, unless that is a wildcard. */
export const sentMediaType = "x-sent-media-type";

/** Set on a text of a normalised document that may be any, though the document lists values: those. */
export const listedValues = "x-listed-values";

/** The JSON entry of a `content` object, with its media type. */
export function jsonContent(content: unknown): { mediaType: string; entry: JsonObject } | undefined {
  for (const expression of jsonMediaTypes) {
    for (const [mediaType, entry] of sortedMembersOf(content)) {
      if (!expression.test(mediaType) || !isObject(entry)) continue;
      // A string with a wildcard type is a text or a file.
      const isText = mediaType.includes("/*") && isObject(entry.schema) && entry.schema.type === "string";
      if (!isText) return { mediaType, entry };
    }
  }
  return undefined;
}

/** The schema of the JSON of a body, an answer or a parameter. */
export const jsonSchema = (message: unknown): unknown => jsonContent(Object(message).content)?.entry.schema;

/** The schema of an operation's JSON request body. */
export const bodySchema = ({ requestBody }: JsonObject): unknown => jsonSchema(requestBody);

/** The schemas of the JSON bodies of the 2xx answers, lowest status first. */
export function answerSchemas({ responses }: JsonObject): unknown[] {
  const successes = sortedMembersOf(responses).filter(([status]) => isSuccess(status));
  return successes.map(([, response]) => jsonSchema(response)).filter((schema) => schema !== undefined);
}

/** A copy of the document in which an answer that is described under `default` alone is that of a success too. */
export function withSuccesses(document: JsonObject): JsonObject {
  return mapOperations(document, (operation, known) => {
    const { default: whole, ...others } = Object(operation.responses);
    const isAlone = isObject(whole) && !Object.keys(others).some(isSuccess);
    return isAlone
      ? { ...operation, responses: { ...others, ...(!known && { default: whole }), "2XX": whole } }
      : operation;
  });
}

/** Whether the key of an answer means a 2xx. */
export const isSuccess = (status: string): boolean => /^2(?:\d\d|XX)$/i.test(status);

/** A copy of a body or an answer with its JSON entry changed and listed as `application/json`. */
export function mapJson(message: unknown, change: (entry: JsonObject) => JsonObject): unknown {
  const { content, ...others } = Object(message);
  const json = jsonContent(content);
  if (!json) return message;
  const entries = membersOf(content).map(([mediaType, entry]) =>
    mediaType === json.mediaType ? ["application/json", change(json.entry)] : [mediaType, entry],
  );
  return { ...others, content: Object.fromEntries(entries) };
}

/** The parameters of an operation and its path item, of which the operation's come first and replace equal ones. */
export function parametersOf(pathItem: JsonObject, operation: JsonObject): JsonObject[] {
  const parameters = [...itemsOf(operation.parameters), ...itemsOf(pathItem.parameters)].filter(isObject);
  return distinct(parameters, (one) => `${one.in} ${one.name}`);
}

const ownHeader = /^(?:accept|authorization|content-type|host|user-agent|x-api-key)$/i;

/** Whether a parameter is a header that the client sends by itself, or that OpenAPI ignores among parameters. */
export function isOwnHeader({ in: place, name }: JsonObject): boolean {
  return place === "header" && ownHeader.test(String(name));
}

const idempotencyKey = /^(?:x-)?idempotency-?(?:key|token|id)?$/i;

/**
 * Whether a parameter is a header for an idempotency key, which the client sends wherever a document has it: the service then
 * charges a repeated create once.
 */
export function isIdempotencyKey({ in: place, name }: JsonObject): boolean {
  return place === "header" && idempotencyKey.test(String(name));
}

export const methods = "get put post delete options head patch trace".split(" ");

/** Every operation of a path item, by method. */
export function operationsOf(pathItem: unknown): [string, JsonObject][] {
  return membersOf(pathItem).filter(
    (member): member is [string, JsonObject] => methods.includes(member[0]) && isObject(member[1]),
  );
}

/** Every operation of a document with its place, by path. */
export function operationsIn(document: JsonObject) {
  return sortedMembersOf(document.paths).flatMap(([path, pathItem]) =>
    operationsOf(pathItem).map(([method, operation]) => {
      const parameters = parametersOf(Object(pathItem), operation);
      return { known: knownAt(method, path), path, method, operation, parameters };
    }),
  );
}

/** The operations with SDK methods that a document with canonical paths has, in the order of their rows. */
export function knownIn(document: JsonObject) {
  const all = operationsIn(document);
  return knownOperations.flatMap((row) => {
    const found = all.find(({ known }) => known === row);
    return found ? [{ known: row, operation: found.operation }] : [];
  });
}

/** A copy of the document with every operation changed; `known` is set for operations with SDK methods. */
export function mapOperations(
  document: JsonObject,
  change: (operation: JsonObject, known: KnownOperation | undefined) => JsonObject,
): JsonObject {
  const paths = mapObject(document.paths, (pathItem, path) => {
    const changed = operationsOf(pathItem).map(([method, operation]) => {
      return [method, change(operation, knownAt(method, path))] as const;
    });
    return { ...(pathItem as JsonObject), ...Object.fromEntries(changed) };
  });
  return { ...document, paths };
}

/** The direction in which a schema's values are sent. */
export type Direction = "request" | "answer";

/** A copy of the document with every body and answer changed. */
export function mapMessages(
  document: JsonObject,
  change: (message: unknown, direction: Direction) => unknown,
): JsonObject {
  return mapOperations(document, ({ requestBody, ...operation }) => ({
    ...operation,
    ...(isObject(requestBody) && { requestBody: change(requestBody, "request") }),
    responses: mapObject(operation.responses, (response) => change(response, "answer")),
  }));
}

/** A copy of a path item whose operations declare all parameters themselves, after `change`. */
export function withOwnParameters(
  pathItem: unknown,
  change: (parameters: JsonObject[]) => JsonObject[],
): JsonObject {
  const { parameters, ...others } = pathItem as JsonObject;
  const operations = operationsOf(others).map(([method, operation]) => {
    const own = change(parametersOf({ parameters }, operation));
    return [method, { ...operation, parameters: own.length > 0 ? own : undefined }];
  });
  return { ...others, ...Object.fromEntries(operations) };
}
