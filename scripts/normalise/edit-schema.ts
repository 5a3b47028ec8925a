import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { resolve } from "../openapi/references.js";

/** Applies `change` to the object that a schema describes, or to each that it allows. */
export function inBranches(
  document: JsonObject,
  schema: unknown,
  change: (object: JsonObject) => JsonObject,
): JsonObject {
  const object = inline(document, schema);
  for (const key of ["anyOf", "oneOf"]) {
    if (Array.isArray(object[key]) && !object.properties) {
      return {
        ...object,
        [key]: object[key].map((branch) =>
          isNull(document, branch) ? branch : inBranches(document, branch, change),
        ),
      };
    }
  }
  return change(object);
}

/** A string of at least one character. */
export function nonEmptyText(document: JsonObject, schema: unknown): unknown {
  const text = inline(document, schema);
  for (const key of ["anyOf", "oneOf"]) {
    if (Array.isArray(text[key])) {
      return { ...text, [key]: text[key].map((branch) => nonEmptyText(document, branch)) };
    }
  }
  const types = [text.type ?? "string"].flat();
  return types.includes("string")
    ? { ...text, type: text.type ?? "string", minLength: Math.max(1, Number(text.minLength ?? 1)) }
    : text;
}

/** A string of any value: new ones appear without notice. */
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
  for (const key of ["anyOf", "oneOf"]) {
    if (Array.isArray(object[key])) {
      const branches = object[key];
      return branches.some((branch) => isNull(document, branch))
        ? object
        : { ...object, [key]: [...branches, { type: "null" }] };
    }
  }
  return object.type === undefined ? object : { ...object, type: [...new Set([object.type, "null"].flat())] };
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
