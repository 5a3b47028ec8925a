import { isObject, itemsOf, type JsonObject, membersOf, valuesOf } from "../openapi/json.js";
import { referenceOf } from "../openapi/references.js";
import { isAnnotation, mergeAllOf } from "./merge-all-of.js";

/** Brings a schema to the few forms of OpenAPI 3.1 that both the types and the run-time schemas are made from. */
export function simplifySchema(
  document: JsonObject,
  schema: JsonObject,
  inlined: readonly string[],
): { schema: JsonObject; inlined: readonly string[] } {
  const merged = mergeAllOf(document, siblingsIntoAllOf(schema), inlined);
  const steps = [
    numericBounds,
    alternativesIntoEnum,
    typeOfStrings,
    nullIntoType,
    requiredIntoBranches,
    openWhenUndescribed,
  ];
  return {
    schema: steps.reduce((current, step) => step(current), merged.schema),
    inlined: merged.inlined,
  };
}

/** Keywords beside a `$ref` hold too; as an `allOf` they are seen. */
function siblingsIntoAllOf(schema: JsonObject): JsonObject {
  const { $ref, allOf, ...siblings } = schema;
  const hasRules = Object.keys(siblings).some((key) => !isAnnotation(key));
  return referenceOf(schema) && (hasRules || allOf)
    ? { ...siblings, allOf: [{ $ref }, ...itemsOf(allOf)] }
    : schema;
}

/** OpenAPI 3.0 says "exclusive" with a flag, 3.1 with a number of its own. */
function numericBounds(schema: JsonObject): JsonObject {
  const changed = { ...schema };
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof changed[flag] !== "boolean") continue;
    if (changed[flag] && bound in changed) {
      changed[flag] = changed[bound];
      delete changed[bound];
    } else {
      delete changed[flag];
    }
  }
  return changed;
}

/** Values that have an alternative each, as some tools write them to describe each one, as the list that they are. */
function alternativesIntoEnum(schema: JsonObject): JsonObject {
  const key = schema.oneOf ? "oneOf" : "anyOf";
  const { [key]: branches, ...rest } = schema;
  const lists = itemsOf(branches).map(onlyValuesOf);
  const isList = lists.length > 0 && lists.every((values) => values !== undefined);
  return isList && saysOnly(rest, ["type"]) ? { ...rest, enum: [...new Set(lists.flat())] } : schema;
}

/** The values that a schema lists; undefined when it says anything else. */
function onlyValuesOf(schema: unknown): unknown[] | undefined {
  if (!isObject(schema) || schema.nullable === true || !saysOnly(schema, ["type", "const", "enum"])) {
    return undefined;
  }
  return valuesOf(schema);
}

function saysOnly(schema: JsonObject, keywords: string[]): boolean {
  return Object.keys(schema).every((key) => keywords.includes(key) || isAnnotation(key));
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
  if (rest.type !== undefined && !rest.anyOf && !rest.oneOf && !rest.allOf) {
    const type = [...new Set([rest.type, "null"].flat())];
    return Array.isArray(rest.enum)
      ? { ...rest, type, enum: [...new Set([...rest.enum, null])] }
      : { ...rest, type };
  }
  const describing = Object.fromEntries(membersOf(rest).filter(([key]) => isAnnotation(key)));
  const ruling = Object.fromEntries(membersOf(rest).filter(([key]) => !isAnnotation(key)));
  const saysNothing = Object.keys(ruling).length === 0;
  return saysNothing ? rest : { ...describing, anyOf: [ruling, { type: "null" }] };
}

/**
 * Branches that only name required properties get the parent's properties,
 * as the type generator would make `unknown` of them.
 */
function requiredIntoBranches(schema: JsonObject): JsonObject {
  const key = schema.anyOf ? "anyOf" : "oneOf";
  const { [key]: branches, ...parent } = schema;
  const list = itemsOf(branches);
  if (!isObject(parent.properties) || list.length === 0 || !list.every(onlyRequires)) return schema;
  const { description, ...rest } = parent;
  const described = description === undefined ? {} : { description };
  return {
    ...described,
    [key]: list.map((branch) => ({
      ...rest,
      required: [...new Set([...itemsOf(rest.required), ...itemsOf(branch.required)])],
    })),
  };
}

function onlyRequires(branch: unknown): branch is JsonObject {
  return (
    isObject(branch) &&
    Array.isArray(branch.required) &&
    Object.keys(branch).every((key) => key === "required" || key === "type" || isAnnotation(key))
  );
}

const sayNothingOfProperties = new Set(["type", "required", "minProperties", "maxProperties"]);

/** An object of whose properties nothing is said may hold any. */
function openWhenUndescribed(schema: JsonObject): JsonObject {
  const { properties, ...rest } = schema;
  const isDescribed =
    membersOf(properties).length > 0 ||
    Object.keys(rest).some((key) => !isAnnotation(key) && !sayNothingOfProperties.has(key));
  return [schema.type].flat().includes("object") && !isDescribed
    ? { ...rest, additionalProperties: true }
    : schema;
}
