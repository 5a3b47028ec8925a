import { isDeepStrictEqual } from "node:util";
import {
  canonicalJson,
  distinct,
  groupedByName,
  itemsOf,
  type JsonObject,
  membersOf,
} from "../openapi/json.js";
import { notesAndRules, orNull } from "../openapi/keywords.js";
import { inline, maxComposition, partsCounter } from "../openapi/walk.js";
import { mergeTwo } from "./simplify-schemas.js";

/** The alternatives of a schema besides null, each a separate schema without references and composition. */
export function branchesOf(
  document: JsonObject,
  schema: unknown,
  count = partsCounter(maxComposition),
): JsonObject[] {
  const { allOf, anyOf, oneOf, ...own } = inline(document, schema);
  const lists = [...itemsOf(allOf).map((part) => [part]), ...[anyOf, oneOf].filter(Array.isArray)];
  const factors = lists.map((parts) => parts.flatMap((part) => branchesOf(document, part, count)));
  const merge = (one: JsonObject, part: JsonObject) => {
    count();
    return mergeTwo(one, part) ?? { ...part, ...one };
  };
  const branches = factors.reduce(
    (found, parts) => found.flatMap((one) => parts.map((part) => merge(one, part))),
    [own],
  );
  return branches.map(withoutNull).filter((branch) => branch !== undefined);
}

/** Joins objects into one that has the properties of all and requires what all of them require. */
export function joined(objects: JsonObject[]): JsonObject {
  const [first = {}] = objects;
  const shared = membersOf(first).filter(([key, value]) =>
    objects.every((object) => isDeepStrictEqual(object[key], value)),
  );
  const lists = objects.map(({ required }) => new Set(itemsOf(required)));
  const stated = groupedByName(objects.flatMap(({ properties }) => membersOf(properties)));
  const properties = [...stated].map(([name, schemas]) => {
    const different = distinct(schemas, canonicalJson);
    return [name, different.length > 1 ? { anyOf: different } : different[0]];
  });
  return {
    ...Object.fromEntries(shared),
    type: "object",
    properties: Object.fromEntries(properties),
    required: itemsOf(first.required).filter((name) => lists.every((list) => list.has(name))),
  };
}

/** Replaces a schema's alternatives and keeps its annotations. */
export function united(document: JsonObject, schema: unknown, branches: JsonObject[]): JsonObject {
  const [notes] = notesAndRules(inline(document, schema));
  const described = branches.length > 1 ? { anyOf: branches } : branches[0];
  return { ...described, ...notes };
}

/** The schema, or null. */
export function withNull(document: JsonObject, schema: unknown): JsonObject {
  const branches = branchesOf(document, schema);
  const isPlain = branches.length === 1 && branches[0]?.type !== undefined;
  return isPlain
    ? orNull(united(document, schema, branches))
    : united(document, schema, [...branches, { type: "null" }]);
}

/** Whether a schema allows null. */
export function admitsNull(document: JsonObject, schema: unknown): boolean {
  const { type, enum: values, const: value, anyOf, oneOf } = inline(document, schema);
  const alternatives = [...itemsOf(anyOf), ...itemsOf(oneOf)];
  return (
    [type, value, ...itemsOf(values)].flat().some((one) => one === "null" || one === null) ||
    alternatives.some((alternative) => admitsNull(document, alternative))
  );
}

/** The schema without null among its own types and values; undefined if its only type is null. */
function withoutNull(schema: JsonObject): JsonObject | undefined {
  const rest = { ...schema };
  if (rest.type === "null") return undefined;
  if (Array.isArray(rest.type)) {
    const types = rest.type.filter((type) => type !== "null");
    rest.type = types.length > 1 ? types : types[0];
  }
  if (Array.isArray(rest.enum)) rest.enum = rest.enum.filter((value) => value !== null);
  return rest;
}
