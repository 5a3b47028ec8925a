import { isObject, type JsonObject } from "../openapi/json.js";
import { patternFlags } from "../openapi/keywords.js";
import { lookUp, referenceOf } from "../openapi/references.js";
import { type Kind, type Place, root, visitValues } from "../openapi/walk.js";
import { quoted, unacceptable } from "../refusal.js";

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

/** What schemas, and the lists and objects of them, have to be. */
const rulesOfKinds: Partial<Record<Kind, Rule>> = {
  schema: ["a schema", (value) => isObject(value) || isFlag(value)],
  "schema list": ["a list of schemas", isFilledList],
  "named schemas": ["an object of schemas", isObject],
};

/** What the other keywords that the generator reads have to be. */
const rulesOfKeywords: [...Rule, keywords: string][] = [
  ["a string", isText, "$ref format title description"],
  ["a list of names", isListOfText, "required"],
  ["a list of values", isFilledList, "enum"],
  ["a type", isType, "type"],
  ["a regular expression", (value) => patternFlags(value) !== undefined, "pattern"],
  ["true or false", isFlag, "nullable uniqueItems"],
  ["a length", isLength, "minLength maxLength minItems maxItems"],
  ["a number", isNumber, "minimum maximum"],
  ["a number or a flag", isNumberOrFlag, "exclusiveMinimum exclusiveMaximum"],
  ["a number above 0", (value) => isNumber(value) && Number(value) > 0, "multipleOf"],
];

/** Every keyword that the generator reads has a value of its kind, also where only a reference makes a schema of it. */
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
  if (kind !== "schema" || !isObject(value)) return;
  for (const [what, holds, keywords] of rulesOfKeywords) {
    const wrong = keywords.split(" ").find((key) => Object.hasOwn(value, key) && !holds(value[key]));
    if (wrong) throw malformed(`${pointer}/${wrong}`, what);
  }
}

function malformed(pointer: string, what: string): Error {
  return unacceptable("malformed", `${quoted(pointer)} is not ${what}`);
}
