import * as z from "zod";
import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { methods } from "../openapi/operations.js";
import { quoted, Refusal } from "../refusal.js";
import { malformed, pointerTo } from "./vet-values.js";

/** The names that OpenAPI allows for components. */
const componentName = /^[\w.-]+$/;
/** The characters of a URL's path (RFC 3986, section 3.3), and the braces of parameters. */
const pathName = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2}|\{[\w.~:-]+\})*$/i;
/** Excludes what has a meaning in code. Generated code quotes every name, but no honest document has such names. */
const plainName = /^(?!.*(?:\*\/|\/\*|\/\/|\$\{))[^\p{Cc}\p{Cf}\u2028\u2029"'`\\<>;]+$/u;
const mediaTypeName = /^[\w.+*-]+\/[\w.+*-]+(?:\s*;\s*[\w.+-]+="?[\w.+ -]*"?)*$/;
const statusName = /^(?:[1-5](?:\d\d|XX)|default)$/i;

/** An object whose keys are names that the document chose, or extensions. */
const named = (names: RegExp, member: z.ZodType) => {
  const withoutExtensions = (value: unknown) =>
    isObject(value) ? Object.fromEntries(membersOf(value).filter(([name]) => !name.startsWith("x-"))) : value;
  return z.preprocess(withoutExtensions, z.record(z.string().regex(names), member));
};

const parameter = z.looseObject({
  name: z.string().regex(plainName),
  in: z.enum(["path", "query", "header", "cookie"]),
});
const parameters = z.array(parameter).optional();
const message = z.looseObject({
  content: z.record(z.string().regex(mediaTypeName), z.looseObject({})).optional(),
});
const operation = z.looseObject({
  operationId: z.string().regex(plainName).optional(),
  parameters,
  requestBody: message.optional(),
  responses: named(statusName, message).optional(),
});
const operations = Object.fromEntries(methods.map((method) => [method, operation.optional()]));

/** The objects that lead to the document's schemas. */
const structure = z.looseObject({
  components: named(/^/, z.record(z.string().regex(componentName), z.unknown())).optional(),
  paths: named(pathName, z.looseObject({ parameters, ...operations })),
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
