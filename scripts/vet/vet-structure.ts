import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { operationsOf } from "../openapi/operations.js";
import { quoted, Refusal } from "../refusal.js";
import { malformed } from "./vet-values.js";

/** The names that OpenAPI allows for components. */
const componentName = /^[\w.-]+$/;
/** The characters of a URL's path (RFC 3986, section 3.3), and the braces of parameters. */
const pathName = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2}|\{[\w.~:-]+\})*$/i;
/** Excludes what has a meaning in code. Generated code quotes every name, but no honest document has such names. */
const plainName = /^(?!.*(?:\*\/|\/\*|\/\/|\$\{))[^\p{Cc}\p{Cf}\u2028\u2029"'`\\<>;]+$/u;
const mediaTypeName = /^[\w.+*-]+\/[\w.+*-]+(?:\s*;\s*[\w.+-]+="?[\w.+ -]*"?)*$/;
const statusName = /^(?:[1-5](?:\d\d|XX)|default)$/i;

/**
 * Checks the objects that lead to the document's schemas, and its names, against what OpenAPI allows. None of these
 * objects may be a reference.
 */
export function vetStructure(document: JsonObject): void {
  for (const [, named] of members(document, "components", "the document", /^/)) {
    for (const name of Object.keys(named)) vetName(name, componentName);
  }
  if (document.paths === undefined) throw malformed("paths of the document");
  for (const [path, pathItem] of members(document, "paths", "the document", pathName)) {
    vetParameters(pathItem, path);
    for (const [method, operation] of operationsOf(pathItem)) {
      vetOperation(operation, `${method.toUpperCase()} ${path}`);
    }
  }
}

function vetOperation(operation: JsonObject, where: string): void {
  const { operationId = "unnamed", requestBody = {} } = operation;
  if (typeof operationId !== "string" || operationId === "") throw malformed(`operationId of ${where}`);
  vetName(operationId, plainName);
  vetParameters(operation, where);
  if (!isObject(requestBody)) throw malformed(`requestBody of ${where}`);
  const responses = members(operation, "responses", where, statusName).map(([, response]) => response);
  for (const message of [requestBody, ...responses]) members(message, "content", where, mediaTypeName);
}

function vetParameters({ parameters = [] }: JsonObject, where: string): void {
  if (!Array.isArray(parameters)) throw malformed(`parameters of ${where}`);
  for (const parameter of parameters) {
    const { name, in: place } = Object(parameter);
    if (typeof name !== "string" || !["path", "query", "header", "cookie"].includes(place)) {
      throw malformed(`a parameter of ${where}`);
    }
    vetName(name, plainName);
  }
}

/** The members of an object except extensions. Each must be an object. None if the document omits the object. */
function members(holder: JsonObject, key: string, where: string, names: RegExp): [string, JsonObject][] {
  const { [key]: object = {} } = holder;
  if (!isObject(object)) throw malformed(`${key} of ${where}`);
  return membersOf(object).flatMap(([name, member]) => {
    if (key !== "content" && name.startsWith("x-")) return [];
    vetName(name, names);
    if (!isObject(member)) throw malformed(`${key} ${name} of ${where}`);
    return [[name, member]];
  });
}

function vetName(name: string, allowed: RegExp): void {
  if (!allowed.test(name)) throw new Refusal("unsafe-name", `it has the name ${quoted(name)}`);
}
