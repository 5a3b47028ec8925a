import { distinct, type JsonObject, membersOf } from "./json.js";

const annotation =
  /^(?:title|description|default|examples?|deprecated|readOnly|writeOnly|externalDocs|xml|discriminator|nullable|\$comment|x-.*)$/;

/** Whether a keyword only describes values and does not restrict them. */
export const isAnnotation = (keyword: string): boolean => annotation.test(keyword);

/** What a schema says of its values for readers, and what restricts them. */
export function notesAndRules(schema: JsonObject): [notes: JsonObject, rules: JsonObject] {
  const [notes, rules] = [true, false].map((isNote) =>
    Object.fromEntries(membersOf(schema).filter(([key]) => isAnnotation(key) === isNote)),
  );
  return [notes as JsonObject, rules as JsonObject];
}

/** Whether a schema has no keywords other than annotations and the given ones. */
export function hasOnly(schema: JsonObject, keywords: readonly string[] = []): boolean {
  return Object.keys(schema).every((key) => keywords.includes(key) || isAnnotation(key));
}

/** The values that a schema itself lists; undefined if it lists none. */
export function valuesOf(schema: JsonObject): unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Set on a list of values of a normalised document: those that are deprecated. */
export const deprecatedValues = "x-deprecated-values";

/** Set on a field of a normalised body that the document lacks and that the SDK takes all the same. */
export const keptField = "x-kept-field";

/** The bounds of a list of whole numbers without a gap; undefined if it is none. */
export function rangeOf(values: unknown): { minimum: number; maximum: number } | undefined {
  if (!Array.isArray(values) || values.length < 2 || !values.every(Number.isInteger)) return undefined;
  const [minimum, maximum] = [Math.min(...values), Math.max(...values)];
  return maximum - minimum === new Set(values).size - 1 ? { minimum, maximum } : undefined;
}

/** Allows null in a schema that states its type. */
export function orNull(schema: JsonObject): JsonObject {
  const type = distinct([schema.type, "null"].flat());
  return Array.isArray(schema.enum)
    ? { ...schema, type, enum: distinct([...schema.enum, null]) }
    : { ...schema, type };
}

/** The types that a schema allows: those it states or, if it states none, those of its values or of its keywords. */
export function typesOf(schema: JsonObject): string[] {
  if (schema.type !== undefined) return [schema.type].flat().map(String);
  const values = valuesOf(schema);
  if (values) return distinct(values.map(jsonType));
  const isAbout = (pattern: RegExp) => Object.keys(schema).some((key) => pattern.test(key));
  if (isAbout(/^(properties|required|additionalProperties|patternProperties)$/)) return ["object"];
  if (isAbout(/^(items|prefixItems|minItems|maxItems|uniqueItems)$/)) return ["array"];
  if (isAbout(/^(minLength|maxLength|pattern)$/)) return ["string"];
  if (isAbout(/^(minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf)$/)) return ["number"];
  return [];
}

/** Whether a type is one of numbers. */
export const isNumberType = (type: unknown) => type === "integer" || type === "number";

/** Whether a value is of a type. */
export function isOfType(value: unknown, type: string): boolean {
  return jsonType(value) === type || (type === "integer" && Number.isInteger(value));
}

/** The type of a value, as JSON Schema names it. */
export function jsonType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
