import { isDeepStrictEqual } from "node:util";
import { distinct, isObject, itemsOf, type JsonObject, mapObject, membersOf } from "../openapi/json.js";
import {
  deprecatedValues,
  hasOnly,
  isAnnotation,
  notesAndRules,
  orNull,
  valuesOf,
} from "../openapi/keywords.js";
import {
  inline,
  mapMembers,
  maxParts,
  type Place,
  partsCounter,
  referenceOf,
  root,
} from "../openapi/walk.js";

/** Applied to each schema in this order, after merging its `allOf` and before its inner schemas. */
const rewrites: ((schema: JsonObject) => JsonObject)[] = [
  (schema) => flagIntoBound(schema, "exclusiveMinimum", "minimum"),
  (schema) => flagIntoBound(schema, "exclusiveMaximum", "maximum"),
  alternativesIntoEnum,
  deprecatedIntoList,
  typeOfStrings,
  onlyNullIntoType,
  nullIntoType,
  unevaluatedIntoAdditional,
  openWhenUndescribed,
];

/** Rewrites every schema into the few forms of OpenAPI 3.1 that types and run-time schemas are generated from. */
export function simplifySchemas(document: JsonObject): JsonObject {
  const count = partsCounter(maxParts);
  /** `inlined`: the references that were inlined to get here, so that no reference is inlined within itself. */
  const copy = (value: unknown, place: Place, inlined: readonly string[]): unknown => {
    count();
    if (place.kind !== "schema" || !isObject(value)) {
      return mapMembers(value, place, (member, inner) => copy(member, inner, inlined));
    }
    const whole = siblingsIntoAllOf(value);
    const all = new Set([...inlined, place.pointer]);
    const merged = mergeAllOf(document, whole, all);
    const schema = rewrites.reduce((current, rewrite) => rewrite(current), merged ?? whole);
    const within = merged ? [...all] : [...inlined, place.pointer];
    return mapMembers(schema, place, (member, inner) => copy(member, inner, within));
  };
  return copy(document, root, []) as JsonObject;
}

/** Keywords beside a `$ref` also apply, so they are merged with it as in an `allOf`. */
function siblingsIntoAllOf(schema: JsonObject): JsonObject {
  const { $ref, allOf, ...siblings } = schema;
  if (!referenceOf(schema) || (hasOnly(siblings) && !allOf)) return schema;
  return { ...siblings, allOf: [{ $ref }, ...itemsOf(allOf)] };
}

/** OpenAPI 3.0 marks a bound as exclusive with a flag; 3.1 has separate keywords with a number. */
function flagIntoBound(schema: JsonObject, exclusive: string, inclusive: string): JsonObject {
  const { [exclusive]: flag, [inclusive]: bound, ...rest } = schema;
  if (typeof flag !== "boolean") return schema;
  return bound === undefined ? rest : { ...rest, [flag ? exclusive : inclusive]: bound };
}

/** Turns alternatives of one value each into a list of values. Some tools write them to describe every value. */
function alternativesIntoEnum(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, ...rest } = schema;
  if (anyOf && oneOf) return schema;
  const lists = itemsOf(anyOf ?? oneOf).map(onlyValuesOf);
  const isList = lists.length > 0 && lists.every((values) => values !== undefined);
  if (!isList || !hasOnly(rest, ["type"])) return schema;
  const marked = itemsOf(anyOf ?? oneOf).filter((one) => Object(one).deprecated === true);
  const deprecated = marked.length > 0 && {
    [deprecatedValues]: marked.flatMap((one) => onlyValuesOf(one) ?? []),
  };
  return { ...rest, enum: distinct(lists.flat()), ...deprecated };
}

/** Lists what an extension marks as deprecated among a schema's values: no standard has a place for that. */
function deprecatedIntoList(schema: JsonObject): JsonObject {
  const marks = membersOf(schema).find(([key]) =>
    /^x-(?:enum-deprecated|deprecated-?(?:enum|values?))$/i.test(key),
  );
  const values = itemsOf(schema.enum).filter((value) => itemsOf(marks?.[1]).includes(value));
  return values.length > 0 ? { ...schema, [deprecatedValues]: values } : schema;
}

/** The values that a schema lists; undefined if it has any other rule. */
function onlyValuesOf(schema: unknown): unknown[] | undefined {
  if (!isObject(schema) || schema.nullable === true) return undefined;
  return hasOnly(schema, ["type", "const", "enum"]) ? valuesOf(schema) : undefined;
}

/** Adds the type to a list of strings that does not state it. */
function typeOfStrings(schema: JsonObject): JsonObject {
  const values = itemsOf(schema.enum);
  const isText = values.length > 0 && values.every((value) => typeof value === "string");
  return isText && schema.type === undefined ? { ...schema, type: "string" } : schema;
}

/** Turns null as the only value, or as the format (OpenAPI 3.0 has no type for it), into the type `null`. */
function onlyNullIntoType(schema: JsonObject): JsonObject {
  const values = valuesOf(schema) ?? [];
  const isNull = schema.format === "null" || (values.length > 0 && values.every((value) => value === null));
  if (!isNull) return schema;
  const [{ nullable: _, ...notes }] = notesAndRules(schema);
  return { ...notes, type: "null" };
}

/** Turns OpenAPI 3.0's `nullable` into the type `null`. */
function nullIntoType(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema;
  if (nullable !== true) return rest;
  if (rest.type !== undefined && !rest.anyOf && !rest.oneOf && !rest.allOf) return orNull(rest);
  if (hasOnly(rest)) return rest;
  const [notes, rules] = notesAndRules(rest);
  return { ...notes, anyOf: [rules, { type: "null" }] };
}

/** Without composition, no other schema evaluates the properties that this one does not name. */
function unevaluatedIntoAdditional(schema: JsonObject): JsonObject {
  const { unevaluatedProperties: others, ...rest } = schema;
  const isComposed = ["allOf", "anyOf", "oneOf", "if", "$ref", "additionalProperties"].some(
    (key) => key in rest,
  );
  return others === undefined || isComposed ? schema : { ...rest, additionalProperties: others };
}

/** Lets an object have any properties if the schema describes none. */
function openWhenUndescribed(schema: JsonObject): JsonObject {
  const { properties, ...rest } = schema;
  const isDescribed =
    membersOf(properties).length > 0 ||
    !hasOnly(rest, ["type", "required", "minProperties", "maxProperties"]);
  const isOpen = [schema.type].flat().includes("object") && !isDescribed;
  return isOpen ? { ...rest, additionalProperties: true } : schema;
}

/** Merges the parts of `allOf` into one schema, or returns undefined. Adds inlined references to `inlined`. */
function mergeAllOf(document: JsonObject, schema: JsonObject, inlined: Set<string>): JsonObject | undefined {
  const { allOf, ...own } = schema;
  const [only, ...others] = itemsOf(allOf);
  if (referenceOf(only) && others.length === 0 && hasOnly(own)) return { ...(only as JsonObject), ...own };
  return itemsOf(allOf).reduce<JsonObject | undefined>((merged, part) => {
    const expanded = merged && expand(document, part, inlined);
    return expanded && mergeTwo(merged, expanded);
  }, own);
}

/** Resolves the references and the `allOf` of a part of `allOf`; undefined if the part refers to itself. */
function expand(document: JsonObject, part: unknown, inlined: Set<string>): JsonObject | undefined {
  const reference = referenceOf(part) ?? "";
  if (!isObject(part) || inlined.has(reference)) return undefined;
  if (reference) inlined.add(reference);
  const merged = mergeAllOf(document, inline(document, part), inlined);
  return referenceOf(merged) ? expand(document, merged, inlined) : merged;
}

/** Merges two schemas into one that requires what both require; undefined if that cannot be expressed. */
export function mergeTwo(left: JsonObject, right: JsonObject): JsonObject | undefined {
  const merged: JsonObject = { ...left };
  for (const [key, value] of membersOf(right)) {
    const both = Object.hasOwn(merged, key) ? mergeKeyword(key, merged[key], value) : value;
    if (both === undefined) return undefined;
    merged[key] = both;
  }
  return merged;
}

/** One value for a keyword that both schemas have; undefined if no single value can express both. */
function mergeKeyword(key: string, left: unknown, right: unknown): unknown {
  if (isAnnotation(key) || isDeepStrictEqual(left, right)) return left;
  if (key === "properties") return mergeProperties(left as JsonObject, right as JsonObject);
  return key === "required" ? distinct([...itemsOf(left), ...itemsOf(right)]) : undefined;
}

function mergeProperties(left: JsonObject, right: JsonObject): JsonObject {
  const both = (schema: unknown, name: string) =>
    Object.hasOwn(left, name) ? { allOf: [left[name], schema] } : schema;
  return { ...left, ...mapObject(right, both) };
}
