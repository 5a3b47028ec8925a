import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { partKeys, partListKeys, partMapKeys } from "../openapi/schema-keys.js";
import { visitSchemas } from "../openapi/visit-schemas.js";
import { quoted } from "../refusal.js";
import { refusal } from "./refuse.js";

type Rule = [what: string, holds: (value: unknown) => boolean];

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isSchema = (value: unknown) => isObject(value) || typeof value === "boolean";
const types = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

const length: Rule = ["a length", (value) => Number.isInteger(value) && Number(value) >= 0];
const number: Rule = ["a number", isNumber];
const text: Rule = ["a string", isText];
const flag: Rule = ["true or false", (value) => typeof value === "boolean"];

/** What the keywords that the generator reads have to be. */
const rules = new Map<string, Rule>([
  ...[...partKeys].map((key): [string, Rule] => [key, ["a schema", isSchema]]),
  ...[...partListKeys].map((key): [string, Rule] => [
    key,
    ["a list of schemas", (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema)],
  ]),
  ...[...partMapKeys].map((key): [string, Rule] => [
    key,
    [
      "an object of schemas",
      (value) => isObject(value) && membersOf(value).every(([, part]) => isSchema(part)),
    ],
  ]),
  ["$ref", ["a string", isText]],
  ["required", ["a list of names", (value) => Array.isArray(value) && value.every(isText)]],
  ["enum", ["a list of values", (value) => Array.isArray(value) && value.length > 0]],
  ["type", ["a type", isType]],
  ["pattern", ["a regular expression", isPattern]],
  ["format", text],
  ["title", text],
  ["description", text],
  ["nullable", flag],
  ["uniqueItems", flag],
  ["minLength", length],
  ["maxLength", length],
  ["minItems", length],
  ["maxItems", length],
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", ["a number or a flag", (value) => isNumber(value) || typeof value === "boolean"]],
  ["exclusiveMaximum", ["a number or a flag", (value) => isNumber(value) || typeof value === "boolean"]],
  ["multipleOf", ["a number above 0", (value) => isNumber(value) && Number(value) > 0]],
]);

/** Every keyword that the generator reads has a value of its kind. */
export function vetSchemas(document: JsonObject): void {
  visitSchemas(document, (schema, pointer) => {
    if (!isSchema(schema)) throw refusal("malformed", `${quoted(pointer)} is not a schema`);
    for (const [key, value] of membersOf(schema)) {
      const rule = rules.get(key);
      if (rule && !rule[1](value)) {
        throw refusal("malformed", `${quoted(`${pointer}/${key}`)} is not ${rule[0]}`);
      }
    }
  });
}

function isType(value: unknown): boolean {
  const list = [value].flat();
  return list.length > 0 && list.every((type) => types.has(type as string));
}

/** Patterns are Unicode ones, but those that only work without the flag are common. */
function isPattern(value: unknown): boolean {
  return ["u", ""].some((flags) => {
    try {
      return isText(value) && new RegExp(value as string, flags) !== undefined;
    } catch {
      return false;
    }
  });
}
