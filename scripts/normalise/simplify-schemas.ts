import { distinct, isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import { alternativesOf, hasOnly, isAnnotation, orNull, valuesOf } from "../openapi/keywords.js";
import { referenceOf } from "../openapi/references.js";
import { mapMembers, type Place, root } from "../openapi/walk.js";
import { mergeAllOf } from "./merge-all-of.js";

/** What is done to each schema, in this order, after its `allOf` was merged and before the schemas inside it. */
const rewrites: ((schema: JsonObject) => JsonObject)[] = [
  exclusiveFlagsIntoBounds,
  alternativesIntoEnum,
  typeOfStrings,
  nullIntoType,
  requiredIntoBranches,
  openWhenUndescribed,
];

/** Brings every schema to the few forms of OpenAPI 3.1 that both the types and the run-time schemas are made from. */
export function simplifySchemas(document: JsonObject): JsonObject {
  /** `inlined`: the references that were inlined to get here, so that none is without end. */
  const copy = (value: unknown, place: Place, inlined: readonly string[]): unknown => {
    if (place.kind !== "schema" || !isObject(value)) {
      return mapMembers(value, place, (member, inner) => copy(member, inner, inlined));
    }
    const merged = mergeAllOf(document, siblingsIntoAllOf(value), [...inlined, place.pointer]);
    const schema = rewrites.reduce((current, rewrite) => rewrite(current), merged.schema);
    return mapMembers(schema, place, (member, inner) => copy(member, inner, merged.inlined));
  };
  return copy(document, root, []) as JsonObject;
}

/** Keywords beside a `$ref` hold too; as an `allOf` they are seen. */
function siblingsIntoAllOf(schema: JsonObject): JsonObject {
  const { $ref, allOf, ...siblings } = schema;
  if (!referenceOf(schema) || (hasOnly(siblings) && !allOf)) return schema;
  return { ...siblings, allOf: [{ $ref }, ...itemsOf(allOf)] };
}

/** OpenAPI 3.0 says "exclusive" with a flag, 3.1 with a number of its own. */
function exclusiveFlagsIntoBounds(schema: JsonObject): JsonObject {
  const withMinimum = flagIntoBound(schema, "exclusiveMinimum", "minimum");
  return flagIntoBound(withMinimum, "exclusiveMaximum", "maximum");
}

function flagIntoBound(schema: JsonObject, exclusive: string, inclusive: string): JsonObject {
  const { [exclusive]: flag, [inclusive]: bound, ...rest } = schema;
  if (typeof flag !== "boolean") return schema;
  return bound === undefined ? rest : { ...rest, [flag ? exclusive : inclusive]: bound };
}

/** Values that have an alternative each, as some tools write them to describe each one, as the list that they are. */
function alternativesIntoEnum(schema: JsonObject): JsonObject {
  const key = alternativesOf(schema) ?? "anyOf";
  const { [key]: branches, ...rest } = schema;
  const lists = itemsOf(branches).map(onlyValuesOf);
  const isList = lists.length > 0 && lists.every((values) => values !== undefined);
  return isList && hasOnly(rest, ["type"]) ? { ...rest, enum: distinct(lists.flat()) } : schema;
}

/** The values that a schema lists; undefined when it says anything else. */
function onlyValuesOf(schema: unknown): unknown[] | undefined {
  if (!isObject(schema) || schema.nullable === true) return undefined;
  return hasOnly(schema, ["type", "const", "enum"]) ? valuesOf(schema) : undefined;
}

/** Strings are of the type `string`, whether that is said or not. */
function typeOfStrings(schema: JsonObject): JsonObject {
  const values = itemsOf(schema.enum);
  const isText = values.length > 0 && values.every((value) => typeof value === "string");
  return isText && schema.type === undefined ? { ...schema, type: "string" } : schema;
}

/** OpenAPI 3.0's `nullable` as the type `null`. */
function nullIntoType(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema;
  if (nullable !== true) return rest;
  if (rest.type !== undefined && !rest.anyOf && !rest.oneOf && !rest.allOf) return orNull(rest);
  if (hasOnly(rest)) return rest;
  const annotations = membersOf(rest).filter(([key]) => isAnnotation(key));
  const rules = membersOf(rest).filter(([key]) => !isAnnotation(key));
  return { ...Object.fromEntries(annotations), anyOf: [Object.fromEntries(rules), { type: "null" }] };
}

/**
 * Branches that only name required properties get the parent's properties,
 * as the type generator would make `unknown` of them.
 */
function requiredIntoBranches(schema: JsonObject): JsonObject {
  const key = alternativesOf(schema) ?? "anyOf";
  const { [key]: branches, ...parent } = schema;
  const list = itemsOf(branches);
  if (!isObject(parent.properties) || list.length === 0 || !list.every(onlyRequires)) return schema;
  const { description, ...rest } = parent;
  const described = description === undefined ? {} : { description };
  return {
    ...described,
    [key]: list.map((branch) => ({
      ...rest,
      required: distinct([...itemsOf(rest.required), ...itemsOf(branch.required)]),
    })),
  };
}

function onlyRequires(branch: unknown): branch is JsonObject {
  return isObject(branch) && Array.isArray(branch.required) && hasOnly(branch, ["required", "type"]);
}

/** An object of whose properties nothing is said may hold any. */
function openWhenUndescribed(schema: JsonObject): JsonObject {
  const { properties, ...rest } = schema;
  const isDescribed =
    membersOf(properties).length > 0 ||
    !hasOnly(rest, ["type", "required", "minProperties", "maxProperties"]);
  const isOpen = [schema.type].flat().includes("object") && !isDescribed;
  return isOpen ? { ...rest, additionalProperties: true } : schema;
}
