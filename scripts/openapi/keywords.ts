import { distinct, type JsonObject } from "./json.js";

const annotation =
  /^(?:title|description|default|examples?|deprecated|readOnly|writeOnly|externalDocs|xml|discriminator|nullable|\$comment|x-.*)$/;

/** Whether a keyword only describes, so that it does not stop two schemas from being one. */
export function isAnnotation(keyword: string): boolean {
  return annotation.test(keyword);
}

/** Whether a schema has no keywords but annotations and those that are named. */
export function hasOnly(schema: JsonObject, keywords: readonly string[] = []): boolean {
  return Object.keys(schema).every((key) => keywords.includes(key) || isAnnotation(key));
}

/** The keyword of a schema that lists alternatives. */
export function alternativesOf(schema: JsonObject): "anyOf" | "oneOf" | undefined {
  if (Array.isArray(schema.anyOf)) return "anyOf";
  return Array.isArray(schema.oneOf) ? "oneOf" : undefined;
}

/** The values that a schema lists itself; undefined when it lists none. */
export function valuesOf(schema: JsonObject): unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** The flags of a pattern, if it is one: JSON Schema's are Unicode ones, but those that only work without are common. */
export function patternFlags(pattern: unknown): "u" | "" | undefined {
  return (["u", ""] as const).find((flags) => {
    try {
      return typeof pattern === "string" && new RegExp(pattern, flags);
    } catch {
      return false;
    }
  });
}

/** A schema that states its type, or null. */
export function orNull(schema: JsonObject): JsonObject {
  const type = distinct([schema.type, "null"].flat());
  return Array.isArray(schema.enum)
    ? { ...schema, type, enum: distinct([...schema.enum, null]) }
    : { ...schema, type };
}
