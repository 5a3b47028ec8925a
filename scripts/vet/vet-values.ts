import * as z from "zod";
import { escaped, isObject, type JsonObject, membersOf } from "../openapi/json.js";
import {
  lookUp,
  mapMembers,
  type Place,
  reachedFrom,
  referenceOf,
  resolve,
  root,
  visitValues,
} from "../openapi/walk.js";
import { quoted, Refusal } from "../refusal.js";

const text = z.string("a string");
const flag = z.boolean("true or false");
const length = z.int("a length").min(0, "a length");
const number = z.number("a number");
const listOf = (what: string) => z.array(z.unknown(), what).min(1, what);
const schemas = listOf("a list of schemas");
const namedSchemas = z.record(z.string(), z.unknown(), "an object of schemas");
const type = z.enum(["string", "number", "integer", "boolean", "array", "object", "null"]);

/** The keywords that the generator reads. */
const keywords = z.looseObject(
  {
    ...{ $ref: text, format: text, title: text, description: text, nullable: flag },
    type: z.union([type, z.array(type).min(1)], "a type"),
    enum: listOf("a list of values"),
    required: z.array(text, "a list of names"),
    ...{ allOf: schemas, anyOf: schemas, oneOf: schemas, prefixItems: schemas },
    ...{ properties: namedSchemas, patternProperties: namedSchemas, $defs: namedSchemas },
    dependentSchemas: namedSchemas,
  },
  "a schema",
);

/** Those that a request is checked for besides. An answer is not, so there they may be anything. */
const constraints = {
  ...{ pattern: text, uniqueItems: flag },
  ...{ minLength: length, maxLength: length, minItems: length, maxItems: length },
  ...{ minimum: number, maximum: number },
  exclusiveMinimum: z.union([number, flag], "a number or a flag"),
  exclusiveMaximum: z.union([number, flag], "a number or a flag"),
  multipleOf: number.gt(0, "a number above 0"),
};

const schemaOfAnswer = keywords.partial();
const schemaOfRequest = keywords.extend(constraints).partial();

/**
 * Checks every reference, and every keyword that the generator reads, in one walk that follows the references, because
 * only a reference may make a schema of data. Other data holds no references: a `$ref` in it is a field like any other.
 */
export function vetValues(document: JsonObject): void {
  const ofAnswers = referencesOfAnswers(document);
  const followed = new Set<string>();
  const open: [unknown, Place][] = [[document, root]];
  for (const [start, place] of open) {
    visitValues(start, place, (value, { kind, pointer }) => {
      vetReferences(document, value, { kind, pointer });
      if (kind === "schema") vetSchema(value, pointer, ofAnswers);
      const reference = kind === "data" ? undefined : referenceOf(value);
      if (!reference || followed.has(`${kind} ${reference}`)) return;
      followed.add(`${kind} ${reference}`);
      open.push([lookUp(document, reference), { kind, pointer: reference }]);
    });
  }
}

/** What only answers refer to. */
function referencesOfAnswers(document: JsonObject): string[] {
  const withoutAnswers = (value: unknown, place: Place): unknown =>
    place.pointer.endsWith("/responses") && place.kind === "paths"
      ? {}
      : mapMembers(value, place, withoutAnswers);
  const requests = withoutAnswers(document, root) as JsonObject;
  const used = (one: JsonObject) => reachedFrom(one, { ...one, components: {} }, root);
  const sent = used(requests);
  return [...used(document)].filter((reference) => !sent.has(reference));
}

function vetReferences(document: JsonObject, value: unknown, { kind, pointer }: Place): void {
  if (!isObject(value) || kind === "data") return;
  const { $ref, $dynamicRef, discriminator } = value;
  // A discriminator maps to names of schemas or to references.
  const mapping = isObject(discriminator) ? membersOf(discriminator.mapping) : [];
  const mapped = mapping.flatMap(([, target]) => (/[#/]/.test(String(target)) ? [target] : []));
  for (const reference of [$ref, $dynamicRef, ...mapped]) {
    if (typeof reference !== "string") continue;
    const words = `${quoted(pointer)} refers to ${quoted(reference)}`;
    if (!reference.startsWith("#/"))
      throw new Refusal("outside-reference", `${words}, outside of the document`);
    if (lookUp(document, reference) === undefined) {
      throw new Refusal("dangling-reference", `${words}, which the document does not hold`);
    }
    resolve(document, { $ref: reference });
  }
}

function vetSchema(value: unknown, pointer: string, ofAnswers: string[]): void {
  if (typeof value === "boolean") return;
  const isOfAnswer =
    /^#\/(?:paths\/[^/]+\/[a-z]+|components)\/responses\//.test(pointer) ||
    ofAnswers.some((reference) => pointer === reference || pointer.startsWith(`${reference}/`));
  const issue = (isOfAnswer ? schemaOfAnswer : schemaOfRequest).safeParse(value).error?.issues[0];
  if (issue) throw malformed(pointerTo(issue.path, pointer), issue.message);
}

/** The pointer to a path below another pointer. */
export function pointerTo(path: PropertyKey[], from: string): string {
  return [from, ...path.map((key) => escaped(String(key)))].join("/");
}

/** The refusal of a malformed value. */
export function malformed(where: string, what: string): Refusal {
  return new Refusal("malformed", `${quoted(where)} is not ${what}`);
}
