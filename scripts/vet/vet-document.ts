import * as z from "zod";
import { escaped, isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import { methods } from "../openapi/operations.js";
import {
  follow,
  lookUp,
  maxComposition,
  type Place,
  partsCounter,
  referenceOf,
  root,
  uncalled,
  visitValues,
} from "../openapi/walk.js";
import { quoted, Refusal } from "../refusal.js";

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

const note = z.string().optional();
const flag = z.boolean().optional();
/** What any of these objects may say of itself, which becomes a comment. */
const notes = { title: note, summary: note, description: note, format: note };

const content = z.record(z.string().regex(mediaTypeName), z.looseObject(notes)).optional();
const parameter = z.looseObject({
  ...notes,
  content,
  style: note,
  explode: flag,
  allowReserved: flag,
  name: z.string().regex(plainName),
  in: z.enum(["path", "query", "header", "cookie"]),
});
const parameters = z.array(parameter).optional();
const headers = z.record(z.string().regex(plainName), z.looseObject({ ...notes, content })).optional();
const message = z.looseObject({ ...notes, content, headers });
const operation = z.looseObject({
  ...notes,
  parameters,
  operationId: z.string().regex(plainName).optional(),
  requestBody: message.optional(),
  responses: named(statusName, message).optional(),
});
const operations = Object.fromEntries(methods.map((method) => [method, operation.optional()]));

/** The objects that lead to the document's schemas. */
const structure = z.looseObject({
  paths: named(pathName, z.looseObject({ ...notes, parameters, ...operations })),
});

/** Checks the objects that lead to schemas, none of which is a reference, and all names. */
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

const text = z.string("a string");
const listOf = (what: string) => z.array(z.unknown(), what).min(1, what);
const schemas = listOf("a list of schemas");
const namedSchemas = z.record(z.string(), z.unknown(), "an object of schemas");
const type = z.enum(["string", "number", "integer", "boolean", "array", "object", "null"]);

/** The keywords that the generator reads. What a body is checked for besides is vetted with the bodies. */
const keywords = z
  .looseObject(
    {
      $ref: text,
      format: text,
      title: text,
      description: text,
      nullable: z.boolean("true or false"),
      type: z.union([type, z.array(type).min(1)], "a type"),
      enum: listOf("a list of values"),
      required: z.array(text, "a list of names"),
      allOf: schemas,
      anyOf: schemas,
      oneOf: schemas,
      prefixItems: schemas,
      properties: namedSchemas,
      patternProperties: namedSchemas,
      $defs: namedSchemas,
      dependentSchemas: namedSchemas,
    },
    "a schema",
  )
  .partial();

/**
 * Checks every reference below the given paths and every keyword that is read, by following the references, because only they
 * make a schema of data. Other data holds no references.
 */
export function vetValues(document: JsonObject, paths: unknown): void {
  const followed = new Set<string>();
  const open: [unknown, Place][] = [[{ paths }, root]];
  for (const [start, place] of open) {
    visitValues(start, place, (value, { kind, pointer }) => {
      vetValue(document, value, { kind, pointer });
      const reference = kind === "data" ? undefined : referenceOf(value);
      if (!reference || followed.has(`${kind} ${reference}`)) return;
      followed.add(`${kind} ${reference}`);
      open.push([lookUp(document, reference), { kind, pointer: reference }]);
    });
  }
}

/** Checks that nothing leads out of the document, even from what the SDK does not use: other tools would follow it. */
export function vetOutside(document: JsonObject): void {
  const look = (value: unknown, place: Place) => {
    const outside = referencesOf(value, place).find((reference) => !reference.startsWith("#/"));
    if (outside !== undefined) {
      const words = `${quoted(place.pointer)} refers to ${quoted(outside)}, outside of the document`;
      throw new Refusal("outside-reference", words);
    }
    if (place.kind !== "object") return;
    for (const key of uncalled) {
      visitValues(Object(value)[key], { kind: "named objects", pointer: `${place.pointer}/${key}` }, look);
    }
  };
  visitValues(document, root, look);
}

/** The references of a value: its own, and those of a discriminator, which maps to names of schemas or to references. */
function referencesOf(value: unknown, { kind }: Place): string[] {
  if (!isObject(value) || kind === "data") return [];
  const { $ref, discriminator } = value;
  const mapping = isObject(discriminator) ? membersOf(discriminator.mapping) : [];
  const mapped = mapping.flatMap(([, target]) => (/[#/]/.test(String(target)) ? [target] : []));
  return [$ref, ...mapped].filter((reference) => typeof reference === "string");
}

/** A reference to a component with a name that OpenAPI does not allow. */
const oddComponent = /^#\/components\/\w+\/(?![\w.-]+(?:\/|$))/;

function vetReferences(document: JsonObject, value: unknown, place: Place): void {
  for (const reference of referencesOf(value, place)) {
    const words = `${quoted(place.pointer)} refers to ${quoted(reference)}`;
    if (oddComponent.test(reference)) {
      throw new Refusal("unsafe-name", `${words}, which has characters that a name cannot have`);
    }
    if (lookUp(document, reference) === undefined) {
      throw new Refusal("dangling-reference", `${words}, which the document does not hold`);
    }
  }
}

/** Checks a value's references and, of a schema, its own keywords and what it is composed of. */
export function vetValue(document: JsonObject, value: unknown, place: Place): void {
  vetReferences(document, value, place);
  if (place.kind !== "schema" || typeof value === "boolean") return;
  const issue = keywords.safeParse(value).error?.issues[0];
  if (issue) throw malformed(pointerTo(issue.path, place.pointer), issue.message);
  vetComposition(document, value, [], partsCounter(maxComposition));
}

/** Refuses a schema that is composed of itself, as then it describes nothing, or of countless others. */
function vetComposition(
  document: JsonObject,
  schema: unknown,
  followed: readonly string[],
  count: () => void,
): void {
  if (!isObject(schema)) return;
  count();
  const reference = referenceOf(schema);
  if (reference) vetComposition(document, lookUp(document, reference), follow(followed, reference), count);
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(itemsOf);
  for (const part of parts) vetComposition(document, part, followed, count);
}

/** The pointer to a path below another pointer. */
export function pointerTo(path: PropertyKey[], from: string): string {
  return [from, ...path.map((key) => escaped(String(key)))].join("/");
}

/** The refusal of a malformed value. */
export function malformed(where: string, what: string): Refusal {
  return new Refusal("malformed", `${quoted(where)} is not ${what}`);
}
