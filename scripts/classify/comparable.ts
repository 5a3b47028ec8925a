import { isAnnotation } from "../normalise/merge-all-of.js";
import {
  byCodePoint,
  canonicalJson,
  isObject,
  itemsOf,
  type JsonObject,
  membersOf,
} from "../openapi/json.js";
import { mapDocumentSchemas } from "../openapi/map-schemas.js";
import { referenceOf, resolve } from "../openapi/references.js";
import { literalKeys, nameMapKeys, partMapKeys } from "../openapi/schema-keys.js";

/**
 * A normalised document in a form in which two that mean the same for the SDK are the same. It says less than the
 * normalised one, and only a comparison is made from it.
 */
export function comparable(document: JsonObject): JsonObject {
  const {
    paths,
    components = {},
    security,
  } = mapDocumentSchemas(document, (schema, inlined) => ({
    schema: [nullInUnion, onlyBranch, constAsEnum, withoutDefaults, ordered].reduce(
      (current, step) => step(current, document),
      schema,
    ),
    inlined,
  }));
  // The client is told where the service is, so that the servers are prose to it, as are the title and the tags.
  const spoken = { paths, components, ...(security === undefined ? {} : { security }) };
  const head = { openapi: "3.1.0", info: { title: "", version: "" } };
  return { ...head, ...(withoutProse(spoken, false) as JsonObject) };
}

const prose = /^(?:description|summary|title|example|examples|externalDocs|tags|\$comment|x-.*)$/;

/** `keysAreNames`: the document chose these keys, so that one called `description` is none. */
function withoutProse(node: unknown, keysAreNames: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutProse(item, false));
  if (!isObject(node)) return node;
  const kept = membersOf(node).filter(([key]) => keysAreNames || !prose.test(key));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      const isNames = key === "schemas" || nameMapKeys.has(key) || partMapKeys.has(key);
      const isData = !keysAreNames && literalKeys.has(key);
      return [key, isData ? value : withoutProse(value, !keysAreNames && isNames)];
    }),
  );
}

/** `anyOf: [X, null]` as X that may be null. */
function nullInUnion(schema: JsonObject, document: JsonObject): JsonObject {
  for (const key of ["anyOf", "oneOf"]) {
    const { [key]: branches, ...rest } = schema;
    const [first, ...others] = itemsOf(branches).filter((branch) => !isNull(branch));
    const isUnion = others.length === 0 && itemsOf(branches).length === 2 && isObject(first);
    if (!isUnion || !Object.keys(rest).every(isAnnotation)) continue;
    const target = { ...resolve(document, first), ...rest };
    if (target.type !== undefined) {
      const type = [...new Set([target.type, "null"].flat())];
      return Array.isArray(target.enum)
        ? { ...target, type, enum: [...target.enum, null] }
        : { ...target, type };
    }
  }
  return schema;
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema.type === "null";
}

/** A composition of one part as that part. */
function onlyBranch(schema: JsonObject): JsonObject {
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const { [key]: branches, ...rest } = schema;
    const [only, ...others] = itemsOf(branches);
    if (isObject(only) && others.length === 0 && Object.keys(rest).every(isAnnotation)) {
      return referenceOf(only) ? { ...rest, ...only } : onlyBranch({ ...only, ...rest });
    }
  }
  return schema;
}

function constAsEnum(schema: JsonObject): JsonObject {
  const { const: value, ...rest } = schema;
  return value === undefined ? schema : { ...rest, enum: [value] };
}

/** Keywords with the value that they have when they are not there. */
const silent: JsonObject = {
  additionalProperties: true,
  minLength: 0,
  minItems: 0,
  uniqueItems: false,
  deprecated: false,
  readOnly: false,
  writeOnly: false,
};

function withoutDefaults(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([key, value]) => {
      const isEmpty = isObject(value) && Object.keys(value).length === 0;
      return !(value === silent[key] || (key === "additionalProperties" && isEmpty));
    }),
  );
}

/** Lists whose order means nothing, in order. */
function ordered(schema: JsonObject): JsonObject {
  const changed = { ...schema };
  for (const key of ["required", "enum", "type"]) {
    if (Array.isArray(changed[key])) changed[key] = inOrder(changed[key]);
  }
  if (Array.isArray(changed.required) && changed.required.length === 0) delete changed.required;
  if (Array.isArray(changed.type) && changed.type.length === 1) [changed.type] = changed.type;
  return changed;
}

function inOrder(values: unknown[]): unknown[] {
  const texts = new Map(values.map((value) => [canonicalJson(value), value]));
  return [...texts].sort(([left], [right]) => byCodePoint(left, right)).map(([, value]) => value);
}
