import { isObject, itemsOf, type JsonObject, mapObject, membersOf, sortedMembersOf } from "./json.js";
import { type KnownOperation, knownOperations } from "./known-operations.js";
import { resolve } from "./walk.js";

/** Media types of JSON, the plainest first. The last two may be anything, and so JSON too. */
const jsonMediaTypes = [
  /^application\/json$/i,
  /^application\/(?:[\w.+*-]+\+)?json\s*(?:;|$)/i,
  /^text\/json\s*(?:;|$)/i,
  /^application\/\*/,
  /^\*\/\*/,
];

/** The JSON entry of a `content` object, with its media type. */
export function jsonContent(content: unknown): { mediaType: string; entry: JsonObject } | undefined {
  for (const expression of jsonMediaTypes) {
    for (const [mediaType, entry] of sortedMembersOf(content)) {
      if (!expression.test(mediaType) || !isObject(entry)) continue;
      // A string of any type is a text or a file.
      const isText = mediaType.includes("/*") && isObject(entry.schema) && entry.schema.type === "string";
      if (!isText) return { mediaType, entry };
    }
  }
  return undefined;
}

/** The schema of the JSON body that an operation takes. */
export function bodySchema(document: JsonObject, operation: JsonObject): unknown {
  return jsonContent(resolve(document, operation.requestBody).content)?.entry.schema;
}

/** The schemas of the JSON bodies of the 2xx answers, the lowest status first. */
export function answerSchemas(document: JsonObject, operation: JsonObject): unknown[] {
  const successes = sortedMembersOf(operation.responses).filter(([status]) => isSuccess(status));
  return successes.flatMap(([, response]) => {
    const schema = jsonContent(resolve(document, response).content)?.entry.schema;
    return schema === undefined ? [] : [schema];
  });
}

/** Whether the key of an answer stands for a 2xx. */
export function isSuccess(status: string): boolean {
  return /^2(?:\d\d|XX)$/i.test(status);
}

/** A copy of a body or an answer, without a reference, whose JSON entry is changed and listed as `application/json`. */
export function mapJson(
  document: JsonObject,
  message: unknown,
  change: (entry: JsonObject) => JsonObject,
): JsonObject {
  const { content, ...resolved } = resolve(document, message);
  const json = jsonContent(content);
  if (!json) return message as JsonObject;
  const { [json.mediaType]: _, ...others } = content as JsonObject;
  return { ...resolved, content: { ...others, "application/json": change(json.entry) } };
}

/**
 * The parameters that an operation and its path item declare, references followed; the operation's come first, and take
 * the place of those of the same name.
 */
export function parametersOf(document: JsonObject, pathItem: JsonObject, operation: JsonObject) {
  const declared = [...itemsOf(operation.parameters), ...itemsOf(pathItem.parameters)];
  const parameters = declared.map((parameter) => resolve(document, parameter));
  const isSame = (one: JsonObject, other: JsonObject) => one.in === other.in && one.name === other.name;
  return parameters.filter((one, index) => parameters.findIndex((other) => isSame(one, other)) === index);
}

/** Whether a parameter is a header that the client sends by itself, or that OpenAPI says to ignore among parameters. */
export function isOwnHeader({ in: place, name }: JsonObject): boolean {
  return (
    place === "header" &&
    /^(?:accept|authorization|content-type|host|user-agent|x-api-key)$/i.test(String(name))
  );
}

/** Whether a parameter is a header that has to hold a key by which the service knows a request that it took before. */
export function isIdempotencyKey({ in: place, name, required }: JsonObject): boolean {
  return (
    place === "header" && required === true && /^(?:x-)?idempotency-?(?:key|token|id)?$/i.test(String(name))
  );
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Every operation of a path item, by method. */
export function operationsOf(pathItem: unknown): [string, JsonObject][] {
  return membersOf(pathItem).filter(
    (member): member is [string, JsonObject] => methods.includes(member[0]) && isObject(member[1]),
  );
}

/** A copy of the document with every operation changed; `known` is set for those that the SDK has methods for. */
export function mapOperations(
  document: JsonObject,
  change: (operation: JsonObject, known: KnownOperation | undefined) => JsonObject,
): JsonObject {
  const paths = mapObject(document.paths, (pathItem, path) => {
    const changed = operationsOf(pathItem).map(([method, operation]) => {
      const known = knownOperations.find((one) => one.path === path && one.method === method);
      return [method, change(operation, known)] as const;
    });
    return { ...(pathItem as JsonObject), ...Object.fromEntries(changed) };
  });
  return { ...document, paths };
}
