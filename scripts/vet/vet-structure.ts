import * as z from "zod";
import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { methods } from "../openapi/operations.js";
import { quoted, Refusal } from "../refusal.js";
import { malformed, pointerTo } from "./vet-values.js";

/** The characters of a URL's path (RFC 3986, section 3.3), and the braces of parameters. */
const pathName = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2}|\{[\w.~:-]+\})*$/i;
/** Excludes what has a meaning in code. Generated code quotes every name, but no honest document has such names. */
const plainName = /^(?!.*(?:\*\/|\/\*|\/\/|\$\{))[^\p{Cc}\p{Cf}\u2028\u2029"'`\\<>;]+$/u;
/** A media type with its parameters (RFC 9110, section 8.3.1). */
const mediaTypeName = /^[\w.+*-]+\/[\w.+*-]+(?: *; *[\w.+*-]+=(?:[\w.+*:/@-]+|"[\w.+*:/@ ,;=-]*"))*$/;
const statusName = /^(?:[1-5](?:\d\d|XX)|default)$/i;

/** An object whose keys are names that the document chose, or extensions. */
const named = (names: RegExp, member: z.ZodType) => {
  const withoutExtensions = (value: unknown) =>
    isObject(value) ? Object.fromEntries(membersOf(value).filter(([name]) => !name.startsWith("x-"))) : value;
  return z.preprocess(withoutExtensions, z.record(z.string().regex(names), member));
};

const text = z.string().optional();
const flag = z.boolean().optional();
/** What any of these objects may say of itself, which becomes a comment. */
const notes = { title: text, summary: text, description: text, format: text };

const content = z.record(z.string().regex(mediaTypeName), z.looseObject(notes)).optional();
const parameter = z.looseObject({
  ...{ ...notes, content, style: text, explode: flag, allowReserved: flag },
  name: z.string().regex(plainName),
  in: z.enum(["path", "query", "header", "cookie"]),
});
const parameters = z.array(parameter).optional();
const headers = z.record(z.string().regex(plainName), z.looseObject({ ...notes, content })).optional();
const message = z.looseObject({ ...notes, content, headers });
const operation = z.looseObject({
  ...{ ...notes, parameters },
  operationId: z.string().regex(plainName).optional(),
  requestBody: message.optional(),
  responses: named(statusName, message).optional(),
});
const operations = Object.fromEntries(methods.map((method) => [method, operation.optional()]));

/** The objects that lead to the document's schemas. */
const structure = z.looseObject({
  paths: named(pathName, z.looseObject({ ...notes, parameters, ...operations })),
});

/**
 * Checks the objects that lead to the document's schemas, and its names, against what OpenAPI allows. None of these
 * objects may be a reference.
 */
export function vetStructure(document: JsonObject): void {
  const issue = structure.safeParse(document).error?.issues[0];
  if (!issue) return;
  const where = pointerTo(issue.path, "#");
  if (issue.code !== "invalid_key" && issue.code !== "invalid_format")
    throw malformed(where, "what OpenAPI describes");
  throw new Refusal("unsafe-name", `the name at ${quoted(where)} has characters that a name cannot have`);
}

/** The places in a path and its operation that `vetStructure` would refuse; an empty place is the whole operation. */
export function faultyPlaces(path: string, method: string, value: unknown): PropertyKey[][] {
  if (!pathName.test(path) || !methods.includes(method)) return [[]];
  return operation.safeParse(value).error?.issues.map((issue) => issue.path) ?? [];
}
