import { byCodePoint, isObject, itemsOf, type JsonObject, membersOf, valuesOf } from "../openapi/json.js";
import { resolve } from "../openapi/references.js";

/** The strings that a schema lists for one of its properties, in the document's order. */
export function listedValues(document: JsonObject, schema: unknown, name: string): string[] {
  const values = propertiesOf(document, schema)
    .filter(([key]) => key === name)
    .flatMap(([, property]) => stringsOf(document, property));
  return [...new Set(values)];
}

/** The defaults of a schema's properties, by name. */
export function defaultsOf(document: JsonObject, schema: unknown): JsonObject {
  const defaults = new Map<string, unknown>();
  for (const [name, property] of propertiesOf(document, schema)) {
    const value = { ...resolve(document, property), ...(isObject(property) ? property : {}) }.default;
    if (value !== undefined && !defaults.has(name)) defaults.set(name, value);
  }
  return Object.fromEntries([...defaults].sort(([left], [right]) => byCodePoint(left, right)));
}

/** The properties of a schema and of everything it is composed of. */
function propertiesOf(document: JsonObject, schema: unknown): [string, unknown][] {
  return everyPart(document, schema).flatMap((part) => membersOf(part.properties));
}

function stringsOf(document: JsonObject, schema: unknown): string[] {
  return everyPart(document, schema)
    .flatMap((part) => valuesOf(part) ?? [])
    .filter((value) => typeof value === "string");
}

/** A schema and the schemas it is composed of, each once. */
function everyPart(document: JsonObject, schema: unknown, seen = new Set<JsonObject>()): JsonObject[] {
  const part = resolve(document, schema);
  if (seen.has(part)) return [];
  seen.add(part);
  const composed = [part.allOf, part.anyOf, part.oneOf].flatMap(itemsOf);
  return [part, ...composed.flatMap((inner) => everyPart(document, inner, seen))];
}
