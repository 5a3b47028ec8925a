import { isDeepStrictEqual } from "node:util";
import {
  canonicalSet,
  distinct,
  isObject,
  itemsOf,
  type JsonObject,
  mapObject,
  membersOf,
} from "../openapi/json.js";
import { alternativesOf, hasOnly, orNull, typesOf } from "../openapi/keywords.js";
import { isIdempotencyKey, isOwnHeader, withOwnParameters } from "../openapi/operations.js";
import { inline, mapMembers, type Place, referenceOf, root } from "../openapi/walk.js";
import { withComparableSecurity } from "./comparable-security.js";

/** Applied to each schema in this order, before its inner schemas. */
const rewrites: ((schema: JsonObject, document: JsonObject) => JsonObject)[] = [
  nullInUnion,
  typesInUnion,
  onlyBranch,
  statedType,
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
    const rewritten =
      place.kind === "schema"
        ? rewrites.reduce((current, rewrite) => rewrite(current, document), value)
        : comparableObject(value);
    const rules = membersOf(rewritten).filter(([key]) => !prose.test(key));
    return mapMembers(Object.fromEntries(rules), place, copy);
  };
  // Callers configure the service's address, so the document's servers, like its title and tags, have no effect.
  const { paths, components } = withComparableSecurity(withParametersInOperations(document));
  const relevant = copy({ paths, components }, root) as JsonObject;
  return { openapi: "3.1.0", info: { title: "", version: "" }, ...relevant };
}

/**
 * Members without meaning for the SDK: prose, names of operations (the SDK calls them by their paths), the parts of an
 * answer that no caller sees, other addresses, and flags that took effect when each direction got its own schemas.
 */
const prose =
  /^(?:description|summary|title|example|examples|externalDocs|tags|operationId|readOnly|writeOnly|bearerFormat|headers|links|callbacks|servers|\$comment|\$id|\$schema|x-.*)$/;

/**
 * A copy of the document in which operations declare their own parameters, without headers that the client sends by
 * itself. The client also sends idempotency keys by itself, but they stay as optional parameters: callers gain them.
 */
function withParametersInOperations(document: JsonObject): JsonObject {
  const asCallersSee = (parameters: JsonObject[]) =>
    parameters
      .filter((parameter) => !isOwnHeader(parameter))
      .map((parameter) => (isIdempotencyKey(parameter) ? { ...parameter, required: false } : parameter));
  return { ...document, paths: mapObject(document.paths, (item) => withOwnParameters(item, asCallersSee)) };
}

/** Keeps only JSON if there are several media types, as the client does, and drops OpenAPI's defaults. */
function comparableObject(object: JsonObject): JsonObject {
  const { "application/json": json } = Object(object.content);
  const style = /^(?:query|cookie)$/.test(String(object.in)) ? "form" : "simple";
  const defaults: JsonObject = {
    ...{ deprecated: false, required: false, allowReserved: false, allowEmptyValue: false },
    ...{ style, explode: style === "form" },
  };
  const stated = membersOf(object).filter(([key, value]) => value !== defaults[key]);
  return {
    ...Object.fromEntries(stated),
    ...(json !== undefined && { content: { "application/json": json } }),
  };
}

/** Turns `anyOf: [X, null]` into X with the type `null` added. */
function nullInUnion(schema: JsonObject, document: JsonObject): JsonObject {
  const { branches, rest } = alternativesOf(schema);
  const [first, ...others] = branches.filter((branch) => Object(branch).type !== "null");
  const isUnion = others.length === 0 && branches.length === 2 && isObject(first);
  if (!isUnion || !hasOnly(rest)) return schema;
  const target = { ...inline(document, first), ...rest };
  return target.type === undefined ? schema : orNull(target);
}

/** Turns alternatives that each state only a type into a list of these types. */
function typesInUnion(schema: JsonObject): JsonObject {
  const { branches, rest } = alternativesOf(schema);
  const parts = branches.filter(isObject);
  const arePlain =
    parts.length > 0 && parts.every((part) => part.type !== undefined && hasOnly(part, ["type"]));
  return arePlain && hasOnly(rest) ? { ...rest, type: distinct(parts.flatMap(({ type }) => type)) } : schema;
}

/** Adds the type that a schema's keywords imply, if there is only one. */
function statedType(schema: JsonObject): JsonObject {
  const [type, ...others] = typesOf(schema);
  const isPlain = others.length === 0 && !referenceOf(schema) && alternativesOf(schema).branches.length === 0;
  return type !== undefined && isPlain ? { type, ...schema } : schema;
}

/** Replaces a composition of a single part with that part. */
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

/** The values for which a keyword has no effect. */
const defaults: JsonObject = {
  deprecated: false,
  required: [],
  minLength: 0,
  minItems: 0,
  uniqueItems: false,
};

function withoutDefaults(schema: JsonObject): JsonObject {
  const isDefault = (key: string, value: unknown) =>
    isDeepStrictEqual(value, defaults[key]) ||
    // The width of a number. JSON numbers have none.
    (key === "format" && /^(?:u?int\d+|float|double)$/.test(String(value))) ||
    // Without `properties`, this keyword has an effect: it also opens the object's types to any member.
    (/^(?:additional|unevaluated)Properties$/.test(key) &&
      isObject(schema.properties) &&
      [true, {}].some((open) => isDeepStrictEqual(value, open)));
  return Object.fromEntries(membersOf(schema).filter(([key, value]) => !isDefault(key, value)));
}

/** Sorts the lists whose order has no meaning. */
function ordered(schema: JsonObject): JsonObject {
  const changed = { ...schema };
  for (const key of ["required", "enum", "type"]) {
    if (Array.isArray(changed[key])) changed[key] = canonicalSet(changed[key]);
  }
  if (Array.isArray(changed.type) && changed.type.length === 1) [changed.type] = changed.type;
  return changed;
}
