import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { isNumberType, jsonType, typesOf, valuesOf } from "../openapi/keywords.js";
import { expressionOf } from "../openapi/patterns.js";
import { mapMembers, type Place, partsOf, root } from "../openapi/walk.js";
import { admitsNull, branchesOf, united, withNull } from "./join-schemas.js";

/** Makes a number of what is a number or its text, as frameworks say of numbers that forms may send. */
export function withoutNumbersAsText(document: JsonObject): JsonObject {
  const copy = (value: unknown, place: Place): unknown =>
    place.kind === "schema" && isObject(value) && numbersIn(document, value, isNumeric)
      ? asNumber(document, value, isNumeric)
      : mapMembers(value, place, copy);
  return copy(document, root) as JsonObject;
}

/** Makes a number of what is a number or any text without values of its own: what the service says is a number. */
export const plainNumber = (document: JsonObject, schema: unknown) =>
  asNumber(document, schema, (text) => isNumeric(text) || valuesOf(text) === undefined);

function asNumber(document: JsonObject, schema: unknown, isText: (text: JsonObject) => boolean): unknown {
  const numbers = numbersIn(document, schema, isText);
  if (!numbers) return schema;
  const number = united(document, schema, numbers);
  return admitsNull(document, schema) ? withNull(document, number) : number;
}

/** The alternatives of a schema that are numbers, if all others are texts of a number. */
function numbersIn(document: JsonObject, schema: unknown, isText: (text: JsonObject) => boolean) {
  const types = partsOf(document, schema).flatMap(statedTypes);
  // Most schemas are no such union, and some have countless alternatives.
  if (!types.some(isNumberType) || !types.includes("string") || types.includes("object")) return undefined;
  const alternatives = branchesOf(document, schema).flatMap((branch) =>
    statedTypes(branch).map((type) => ofType(branch, type)),
  );
  const numbers = alternatives.filter(({ type }) => isNumberType(type));
  const others = alternatives.filter(({ type }) => !isNumberType(type));
  const isUnion = numbers.length > 0 && others.every((one) => one.type === "string" && isText(one));
  return isUnion ? numbers : undefined;
}

const integerFormat = /^u?int(?:eger)?\d*$/;
const numberFormat = /^(?:float|double|decimal|number|numeric)$/;

/** The types of a schema. ASP.NET Core 10 states none in OpenAPI 3.0, but a format of numbers and a pattern of texts. */
function statedTypes(schema: JsonObject): string[] {
  const format = String(schema.format);
  if (schema.type !== undefined || schema.pattern === undefined) return typesOf(schema);
  if (integerFormat.test(format)) return ["integer", "string"];
  return numberFormat.test(format) ? ["number", "string"] : typesOf(schema);
}

/** The part of a schema that is about one of its types. */
function ofType({ pattern, minLength, maxLength, ...schema }: JsonObject, type: string): JsonObject {
  const isOfType = (value: unknown) => (jsonType(value) === "number") === isNumberType(type);
  const values = Array.isArray(schema.enum) && { enum: itemsOf(schema.enum).filter(isOfType) };
  if (isNumberType(type)) return { ...schema, type, ...values };
  return { ...schema, type, ...values, ...(pattern !== undefined && { pattern }) };
}

/** Whether a value is a number, or the text of one. */
export const isNumber = (value: unknown) => /^[+-]?\d+(?:\.\d+)?$/.test(String(value));

/** Whether a text is always that of a number, by its values, its pattern or its format. */
function isNumeric(text: JsonObject): boolean {
  const values = valuesOf(text);
  if (values) return values.every(isNumber);
  const format = String(text.format);
  const expression = expressionOf(text.pattern);
  if (!expression) return integerFormat.test(format) || numberFormat.test(format);
  const matches = (one: string) => expression.test(one);
  return ["0", "1", "10", "1.5"].some(matches) && !["a", "one", "a1", "1a", "-"].some(matches);
}
