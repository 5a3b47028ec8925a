import { isDeepStrictEqual } from "node:util";
import {
  byCodePoint,
  canonicalJson,
  isObject,
  itemsOf,
  type JsonObject,
  membersOf,
} from "../openapi/json.js";
import { alternativesOf, hasOnly, orNull } from "../openapi/keywords.js";
import { mapMembers, type Place, referenceOf, resolve, root } from "../openapi/walk.js";
import { withComparableSecurity } from "./comparable-security.js";

/** Applied to each schema in this order, before its inner schemas. */
const rewrites: ((schema: JsonObject, document: JsonObject) => JsonObject)[] = [
  nullInUnion,
  onlyBranch,
  constAsEnum,
  withoutDefaults,
  ordered,
];

/**
 * A form of a normalised document that is equal for any two documents that mean the same to the SDK. It leaves
 * information out, so it is only used for comparison.
 */
export function comparable(document: JsonObject): JsonObject {
  const copy = (value: unknown, place: Place): unknown => {
    if (!isObject(value) || !["schema", "object"].includes(place.kind)) return mapMembers(value, place, copy);
    const steps = place.kind === "schema" ? rewrites : [];
    const rewritten = steps.reduce((current, rewrite) => rewrite(current, document), value);
    const rules = membersOf(rewritten).filter(([key]) => !prose.test(key));
    return mapMembers(Object.fromEntries(rules), place, copy);
  };
  // Callers configure the service's address, so the document's servers, like its title and tags, have no effect.
  const { paths, components, security } = withComparableSecurity(document);
  const relevant = copy({ paths, components, security }, root) as JsonObject;
  return { openapi: "3.1.0", info: { title: "", version: "" }, ...relevant };
}

/**
 * What means nothing to the SDK: prose, names of operations, which it calls by their paths, and what has had its effect
 * when each direction got schemas of its own.
 */
const prose =
  /^(?:description|summary|title|example|examples|externalDocs|tags|operationId|readOnly|writeOnly|bearerFormat|\$comment|x-.*)$/;

/** Turns `anyOf: [X, null]` into X with the type `null` added. */
function nullInUnion(schema: JsonObject, document: JsonObject): JsonObject {
  const key = alternativesOf(schema) ?? "anyOf";
  const { [key]: branches, ...rest } = schema;
  const [first, ...others] = itemsOf(branches).filter(
    (branch) => !isObject(branch) || branch.type !== "null",
  );
  const isUnion = others.length === 0 && itemsOf(branches).length === 2 && isObject(first);
  if (!isUnion || !hasOnly(rest)) return schema;
  const target = { ...resolve(document, first), ...rest };
  return target.type === undefined ? schema : orNull(target);
}

/** Replaces a composition of a single part by that part. */
function onlyBranch(schema: JsonObject): JsonObject {
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const { [key]: branches, ...rest } = schema;
    const [only, ...others] = itemsOf(branches);
    if (isObject(only) && others.length === 0 && hasOnly(rest)) {
      return referenceOf(only) ? { ...rest, ...only } : onlyBranch({ ...only, ...rest });
    }
  }
  return schema;
}

function constAsEnum(schema: JsonObject): JsonObject {
  const { const: value, ...rest } = schema;
  return value === undefined ? schema : { ...rest, enum: [value] };
}

/** Keywords with the values that have no effect. */
const defaults: JsonObject = {
  required: [],
  minLength: 0,
  minItems: 0,
  uniqueItems: false,
  deprecated: false,
};

function withoutDefaults(schema: JsonObject): JsonObject {
  const isDefault = (key: string, value: unknown) =>
    isDeepStrictEqual(value, defaults[key]) ||
    (/^(?:additional|unevaluated)Properties$/.test(key) &&
      [true, {}].some((open) => isDeepStrictEqual(value, open)));
  return Object.fromEntries(membersOf(schema).filter(([key, value]) => !isDefault(key, value)));
}

/** Sorts the lists whose order has no meaning. */
function ordered(schema: JsonObject): JsonObject {
  const changed = { ...schema };
  for (const key of ["required", "enum", "type"]) {
    if (!Array.isArray(changed[key])) continue;
    const texts = new Map(changed[key].map((value) => [canonicalJson(value), value]));
    changed[key] = [...texts].sort(([left], [right]) => byCodePoint(left, right)).map(([, value]) => value);
  }
  if (Array.isArray(changed.type) && changed.type.length === 1) [changed.type] = changed.type;
  return changed;
}
