import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { operationsOf } from "../openapi/operations.js";
import { resolve } from "../openapi/walk.js";
import { quoted, Refusal } from "../refusal.js";
import { malformed } from "./vet-schemas.js";

/** The names that OpenAPI allows for components. */
const componentName = /^[\w.-]+$/;
/** What a URL's path may hold (RFC 3986, section 3.3), and the braces of parameters. */
const pathName = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2}|\{[\w.~:-]+\})*$/i;
/** Characters with a meaning in code. Generated code quotes every name, but no honest document has such names. */
const codeLike = /[\p{Cc}\p{Cf}\u2028\u2029"'`\\<>;]|\*\/|\/\*|\/\/|\$\{/u;
const mediaTypeName = /^[\w.+*-]+\/[\w.+*-]+(?:\s*;\s*[\w.+-]+="?[\w.+ -]*"?)*$/;
const statusName = /^(?:[1-5](?:\d\d|XX)|default)$/i;

/** Checks the objects that lead to the document's schemas, and its names, against what OpenAPI allows. */
export function vetStructure(document: JsonObject): void {
  for (const [section, named] of members(document, "components", "the document")) {
    if (!isObject(named)) throw malformed(`components.${section}`);
    for (const name of Object.keys(named)) vetName(name, componentName.test(name));
  }
  if (document.paths === undefined) throw malformed("paths of the document");
  for (const [path, item] of members(document, "paths", "the document")) {
    vetName(path, pathName.test(path));
    const pathItem = resolved(document, item, path);
    vetParameters(document, pathItem, path);
    for (const [method, operation] of operationsOf(pathItem)) {
      vetOperation(document, operation, `${method.toUpperCase()} ${path}`);
    }
  }
}

function vetOperation(document: JsonObject, operation: JsonObject, where: string): void {
  const { operationId = "unnamed", requestBody = {} } = operation;
  if (typeof operationId !== "string" || operationId === "") throw malformed(`operationId of ${where}`);
  vetName(operationId, !codeLike.test(operationId));
  vetParameters(document, operation, where);
  vetContent(resolved(document, requestBody, `requestBody of ${where}`), where);
  for (const [status, response] of members(operation, "responses", where)) {
    vetName(status, statusName.test(status));
    vetContent(resolved(document, response, `response ${status} of ${where}`), where);
  }
}

function vetParameters(document: JsonObject, { parameters = [] }: JsonObject, where: string): void {
  if (!Array.isArray(parameters)) throw malformed(`parameters of ${where}`);
  for (const parameter of parameters) {
    const { name, in: place } = resolved(document, parameter, `a parameter of ${where}`);
    if (typeof name !== "string" || !["path", "query", "header", "cookie"].includes(String(place))) {
      throw malformed(`a parameter of ${where}`);
    }
    vetName(name, !codeLike.test(name));
  }
}

function vetContent(message: JsonObject, where: string): void {
  for (const [mediaType, entry] of members(message, "content", where)) {
    vetName(mediaType, mediaTypeName.test(mediaType));
    if (!isObject(entry)) throw malformed(`content of ${where}`);
  }
}

/** The members of an object, except extensions; none if the document leaves the object out. */
function members(holder: JsonObject, key: string, where: string): [string, unknown][] {
  const { [key]: object = {} } = holder;
  if (!isObject(object)) throw malformed(`${key} of ${where}`);
  return membersOf(object).filter(([name]) => key === "content" || !name.startsWith("x-"));
}

function resolved(document: JsonObject, value: unknown, where: string): JsonObject {
  if (!isObject(value)) throw malformed(where);
  return resolve(document, value);
}

function vetName(name: string, isGood: boolean): void {
  if (!isGood) throw new Refusal("unsafe-name", `it has the name ${quoted(name)}`);
}
