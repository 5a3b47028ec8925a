import { quoted, Refusal } from "../refusal.js";
import { escaped, isObject, itemsOf, type JsonObject, mapObject, membersOf, unescaped } from "./json.js";

/** The kind of a value. Keys of "named objects" and "paths" are names. A `$ref` in data refers to nothing. */
export type Kind = "object" | "named objects" | "paths" | "schema" | "schemas" | "data";

/** The place of a value in a document, which determines its kind. */
export interface Place {
  kind: Kind;
  /** A JSON pointer, such as `#/components/schemas/App`. */
  pointer: string;
}

/** The place of the document itself. */
export const root: Place = { kind: "object", pointer: "#" };

/** The place of a schema, wherever it is. */
export const anySchema: Place = { kind: "schema", pointer: "" };

/** The members of a schema that contain schemas; all others contain data. */
const kindsInSchemas = kindsByKey({
  schema:
    "items additionalProperties not contains propertyNames if then else unevaluatedItems unevaluatedProperties",
  schemas: "allOf anyOf oneOf prefixItems properties patternProperties $defs dependentSchemas",
});

/** The members of objects that say what the SDK does not call or send. What they refer to does not matter to it. */
export const uncalled = ["webhooks", "callbacks", "links", "encoding"];

/** The members of other objects whose kind is not "object". */
const kindsInObjects = kindsByKey({
  schema: "schema",
  schemas: "schemas",
  "named objects": "pathItems parameters headers requestBodies content securitySchemes",
  paths: "paths responses",
  data: `default enum example examples value variables ${uncalled.join(" ")}`,
});

function kindsByKey(keys: Partial<Record<Kind, string>>): ReadonlyMap<unknown, Kind> {
  const kinds = Object.entries(keys) as [Kind, string][];
  return new Map(kinds.flatMap(([kind, list]) => list.split(" ").map((key) => [key, kind] as const)));
}

/** The kind of a member, by its key. The key of an item in a list is its index. */
function kindOf(key: string | number, parent: Kind): Kind {
  const isExtension = /^x-/i.test(String(key)) && ["object", "paths"].includes(parent);
  if (isExtension || parent === "data") return "data";
  if (parent === "schema") return kindsInSchemas.get(key) ?? "data";
  if (parent === "object") return kindsInObjects.get(key) ?? "object";
  return parent === "named objects" || parent === "paths" ? "object" : "schema";
}

/** A copy of an object or a list with its members replaced by `change`; any other value is returned unchanged. */
export function mapMembers(
  value: unknown,
  { kind, pointer }: Place,
  change: (member: unknown, place: Place) => unknown,
): unknown {
  const changed = (member: unknown, key: string | number) =>
    change(member, { kind: kindOf(key, kind), pointer: `${pointer}/${escaped(String(key))}` });
  if (Array.isArray(value)) return value.map(changed);
  return isObject(value) ? mapObject(value, changed) : value;
}

/** Calls `visit` for a value and for every value inside it, the outer one first. References are not followed. */
export function visitValues(
  value: unknown,
  place: Place,
  visit: (value: unknown, place: Place) => void,
): void {
  visit(value, place);
  mapMembers(value, place, (member, inner) => visitValues(member, inner, visit));
}

/** The value that a `#/…` reference points to, or undefined. */
export function lookUp(document: JsonObject, reference: string): unknown {
  const memberOf = (value: unknown, key: string) =>
    Object.hasOwn(Object(value), key) ? Object(value)[key] : undefined;
  try {
    return decodeURIComponent(reference)
      .split("/")
      .slice(1)
      .map(unescaped)
      .reduce<unknown>(memberOf, document);
  } catch {
    // The reference is badly encoded.
    return undefined;
  }
}

/** The `$ref` of a value; undefined if it has none. */
export function referenceOf(value: unknown): string | undefined {
  return isObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;
}

/** The reference to a component. */
export const referenceTo = (name: string) => `#/components/schemas/${escaped(name)}`;

/** The references that a value leads to, directly or indirectly, including those of discriminators. */
export function reachedFrom(document: JsonObject, value: unknown, place: Place = anySchema): Set<string> {
  const reached = new Map<string, Place>();
  const look = (inner: unknown, { kind }: Place) => {
    if (!isObject(inner) || kind === "data") return;
    for (const [, reference] of mappingOf(inner.discriminator)) reached.set(reference, anySchema);
    const reference = referenceOf(inner);
    if (reference && !reached.has(reference)) reached.set(reference, { kind, pointer: reference });
  };
  visitValues(value, place, look);
  for (const [reference, where] of reached) visitValues(lookUp(document, reference), where, look);
  return new Set(reached.keys());
}

/** A copy of the document with only the schemas that its operations lead to, directly or indirectly. */
export function withUsedSchemas(document: JsonObject): JsonObject {
  const { schemas, ...components } = Object(document.components) as JsonObject;
  const reached = reachedFrom(document, { ...document, components: {} }, root);
  const used = membersOf(schemas).filter(([name]) => reached.has(referenceTo(name)));
  return { ...document, components: { ...components, schemas: Object.fromEntries(used) } };
}

/** The values of a discriminator, with the references they stand for. A target may be the name of a component. */
export function mappingOf(discriminator: unknown): [value: string, reference: string][] {
  return membersOf(Object(discriminator).mapping).map(([value, target]) => {
    const isReference = String(target).startsWith("#/");
    return [value, isReference ? String(target) : `#/components/schemas/${target}`];
  });
}

/** The value itself, or the value that its references lead to; undefined if they lead to nothing. */
export function targetOf(document: JsonObject, value: unknown): unknown {
  const followed = new Set<string>();
  let target = value;
  for (let next = referenceOf(target); next !== undefined; next = referenceOf(target)) {
    if (followed.has(next)) return undefined;
    followed.add(next);
    target = lookUp(document, next);
  }
  return target;
}

/** The object itself, or the object that its references lead to; an empty object if there is none. */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  const target = targetOf(document, value);
  return isObject(target) ? target : {};
}

/** A schema with the reference at its top resolved, and the keywords beside it. */
export function inline(document: JsonObject, schema: unknown): JsonObject {
  const { $ref: _, ...siblings } = isObject(schema) ? schema : {};
  return { ...resolve(document, schema), ...siblings };
}

/** The most parts that a document may have when its references are followed. */
export const maxParts = 500_000;
/** The most schemas that one schema may be composed of, and the most alternatives that it may have. */
export const maxComposition = 1000;

/** Counts the parts of a copy, which grows without bounds if each refers twice to the next, and refuses too many. */
export function partsCounter(most: number): () => void {
  let parts = 0;
  return () => {
    if (++parts <= most) return;
    throw new Refusal("too-complex", `written out, a part of it has more than ${most} parts`);
  };
}

/** Appends a reference to those that were followed; throws if it was followed before. */
export function follow(followed: readonly string[], reference: string): string[] {
  if (!followed.includes(reference)) return [...followed, reference];
  throw new Refusal("circular-reference", `its reference ${quoted(reference)} leads back to itself`);
}

/** The properties of a schema and of all its parts. */
export function propertiesOf(document: JsonObject, schema: unknown): [string, unknown][] {
  return partsOf(document, schema).flatMap((part) => membersOf(part.properties));
}

/** The first property of that name in a schema or in one of its parts. */
export function propertyOf(document: JsonObject, schema: unknown, name: string): unknown {
  return propertiesOf(document, schema).find(([key]) => key === name)?.[1];
}

/** A schema and the schemas it is composed of, each only once. */
export function partsOf(document: JsonObject, schema: unknown, seen = new Set<JsonObject>()): JsonObject[] {
  const part = resolve(document, schema);
  if (seen.has(part)) return [];
  seen.add(part);
  const composed = [part.allOf, part.anyOf, part.oneOf].flatMap(itemsOf);
  return [part, ...composed.flatMap((inner) => partsOf(document, inner, seen))];
}
