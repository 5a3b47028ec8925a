import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import {
  type Kind,
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

type Rule = [what: string, holds: (value: unknown) => boolean];

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isFlag = (value: unknown) => typeof value === "boolean";
const isNumberOrFlag = (value: unknown) => isNumber(value) || isFlag(value);
const isLength = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isFilledList = (value: unknown) => Array.isArray(value) && value.length > 0;
const isListOfText = (value: unknown) => Array.isArray(value) && value.every(isText);

const types = ["string", "number", "integer", "boolean", "array", "object", "null"];
const isType = (value: unknown) =>
  isFilledList([value].flat()) && [value].flat().every((type) => types.includes(type as string));

/** The rules for schemas, and for lists and objects of schemas. */
const rulesOfKinds: Partial<Record<Kind, Rule>> = {
  schema: ["a schema", (value) => isObject(value) || isFlag(value)],
  "schema list": ["a list of schemas", isFilledList],
  "named schemas": ["an object of schemas", isObject],
};

/** The rules for the other keywords that the generator reads. */
const rulesOfKeywords = new Map<string, Rule>([
  ...rulesFor("$ref format title description", "a string", isText),
  ...rulesFor("required", "a list of names", isListOfText),
  ...rulesFor("enum", "a list of values", isFilledList),
  ...rulesFor("type", "a type", isType),
  ...rulesFor("nullable", "true or false", isFlag),
]);

/** The rules for keywords that a request is checked for. An answer is not, so there they may be anything. */
const rulesOfConstraints = new Map<string, Rule>([
  ...rulesFor("pattern", "a string", isText),
  ...rulesFor("uniqueItems", "true or false", isFlag),
  ...rulesFor("minLength maxLength minItems maxItems", "a length", isLength),
  ...rulesFor("minimum maximum", "a number", isNumber),
  ...rulesFor("exclusiveMinimum exclusiveMaximum", "a number or a flag", isNumberOrFlag),
  ...rulesFor("multipleOf", "a number above 0", (value) => isNumber(value) && Number(value) > 0),
]);

function rulesFor(keywords: string, ...rule: Rule): [string, Rule][] {
  return keywords.split(" ").map((keyword) => [keyword, rule]);
}

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
      vetKeywords(value, { kind, pointer }, ofAnswers);
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

function vetKeywords(value: unknown, { kind, pointer }: Place, ofAnswers: string[]): void {
  const rule = rulesOfKinds[kind];
  if (rule && !rule[1](value)) throw malformed(pointer, rule[0]);
  if (kind !== "schema" || !isObject(value)) return;
  const isOfAnswer =
    /^#\/(?:paths\/[^/]+\/[a-z]+|components)\/responses\//.test(pointer) ||
    ofAnswers.some((reference) => pointer === reference || pointer.startsWith(`${reference}/`));
  for (const [key, member] of membersOf(value)) {
    const [what, holds] = rulesOfKeywords.get(key) ?? (isOfAnswer ? [] : rulesOfConstraints.get(key)) ?? [];
    if (what && !holds?.(member)) throw malformed(`${pointer}/${key}`, what);
  }
}

/** The refusal of a malformed value. */
export function malformed(where: string, what = "what OpenAPI describes"): Refusal {
  return new Refusal("malformed", `${quoted(where)} is not ${what}`);
}
