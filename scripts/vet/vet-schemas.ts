import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { expressionOf } from "../openapi/keywords.js";
import { type Kind, lookUp, type Place, referenceOf, root, visitValues } from "../openapi/walk.js";
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
  ...rulesFor("pattern", "a regular expression", (value) => expressionOf(value) !== undefined),
  ...rulesFor("nullable uniqueItems", "true or false", isFlag),
  ...rulesFor("minLength maxLength minItems maxItems", "a length", isLength),
  ...rulesFor("minimum maximum", "a number", isNumber),
  ...rulesFor("exclusiveMinimum exclusiveMaximum", "a number or a flag", isNumberOrFlag),
  ...rulesFor("multipleOf", "a number above 0", (value) => isNumber(value) && Number(value) > 0),
]);

function rulesFor(keywords: string, ...rule: Rule): [string, Rule][] {
  return keywords.split(" ").map((keyword) => [keyword, rule]);
}

/** Checks every keyword that the generator reads, including those in data that a reference uses as a schema. */
export function vetSchemas(document: JsonObject): void {
  const followed = new Set<string>();
  const open: [unknown, Place][] = [[document, root]];
  for (const [start, place] of open) {
    visitValues(start, place, (value, { kind, pointer }) => {
      vetValue(value, { kind, pointer });
      const reference = kind === "data" ? undefined : referenceOf(value);
      if (!reference || followed.has(`${kind} ${reference}`)) return;
      followed.add(`${kind} ${reference}`);
      open.push([lookUp(document, reference), { kind, pointer: reference }]);
    });
  }
}

function vetValue(value: unknown, { kind, pointer }: Place): void {
  const rule = rulesOfKinds[kind];
  if (rule && !rule[1](value)) throw malformed(pointer, rule[0]);
  for (const [key, member] of kind === "schema" ? membersOf(value) : []) {
    const [what, holds] = rulesOfKeywords.get(key) ?? [];
    if (what && !holds?.(member)) throw malformed(`${pointer}/${key}`, what);
  }
}

/** The refusal of a malformed value. */
export function malformed(where: string, what = "what OpenAPI describes"): Refusal {
  return new Refusal("malformed", `${quoted(where)} is not ${what}`);
}
