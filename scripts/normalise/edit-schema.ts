import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { alternativesOf, orNull } from "../openapi/keywords.js";
import { resolve } from "../openapi/references.js";

/** Applies `change` to a schema, or to each of its alternatives if it has any. */
export function inBranches(
  document: JsonObject,
  schema: unknown,
  change: (branch: JsonObject) => JsonObject,
): JsonObject {
  const object = inline(document, schema);
  const key = alternativesOf(object);
  if (!key || object.properties) return change(object);
  const branches = itemsOf(object[key]).map((branch) =>
    isNull(document, branch) ? branch : inBranches(document, branch, change),
  );
  return { ...object, [key]: branches };
}

/** A string of at least one character. */
export function nonEmptyText(document: JsonObject, schema: unknown): JsonObject {
  return inBranches(document, schema, (text) => {
    const { type = "string", minLength = 1 } = text;
    if (![type].flat().includes("string")) return text;
    return { ...text, type, minLength: Math.max(1, Number(minLength)) };
  });
}

/** A string with any value, for fields to which the service adds values without notice. */
export function openText(document: JsonObject, schema: unknown): JsonObject {
  const { enum: values, const: value, anyOf, oneOf, ...rest } = inline(document, schema);
  const allowsNull =
    [...itemsOf(anyOf), ...itemsOf(oneOf)].some((branch) => isNull(document, branch)) ||
    [...itemsOf(values), value].includes(null) ||
    [rest.type].flat().includes("null");
  return { ...rest, type: allowsNull ? ["string", "null"] : "string" };
}

/** The schema, or null. */
export function admitNull(document: JsonObject, schema: unknown): JsonObject {
  const object = inline(document, schema);
  const key = alternativesOf(object);
  if (!key) return object.type === undefined ? object : orNull(object);
  const branches = itemsOf(object[key]);
  if (branches.some((branch) => isNull(document, branch))) return object;
  return { ...object, [key]: [...branches, { type: "null" }] };
}

/** Whether a schema allows null and nothing else. */
function isNull(document: JsonObject, schema: unknown): boolean {
  return inline(document, schema).type === "null";
}

/** The schema without a reference at its top, so that it can be changed for one place only. */
export function inline(document: JsonObject, schema: unknown): JsonObject {
  const { $ref: _, ...siblings } = isObject(schema) ? schema : {};
  return { ...structuredClone(resolve(document, schema)), ...siblings };
}
