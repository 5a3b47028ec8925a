import { isDeepStrictEqual } from "node:util";
import { distinct, isObject, itemsOf, type JsonObject, mapObject, membersOf } from "../openapi/json.js";
import { hasOnly, isAnnotation } from "../openapi/keywords.js";
import { referenceOf, resolve } from "../openapi/references.js";

/** Merges the parts of `allOf` into one schema. Returns the schema unchanged if that is impossible. */
export function mergeAllOf(
  document: JsonObject,
  schema: JsonObject,
  inlined: readonly string[],
): { schema: JsonObject; inlined: readonly string[] } {
  const { allOf, ...own } = schema;
  const parts = itemsOf(allOf);
  const isBareWrapper = parts.length === 1 && hasOnly(own);
  if (isBareWrapper && referenceOf(parts[0])) {
    return { schema: { ...(parts[0] as JsonObject), ...own }, inlined };
  }
  let merged: JsonObject | undefined = own;
  let chain = inlined;
  for (const part of parts) {
    const expanded = expand(document, part, chain);
    merged = merged && expanded && mergeTwo(merged, expanded.schema);
    chain = expanded ? expanded.inlined : chain;
  }
  return merged ? { schema: merged, inlined: chain } : { schema, inlined };
}

/** A part of `allOf` without references or an `allOf` of its own; undefined if it refers to itself. */
function expand(document: JsonObject, part: unknown, inlined: readonly string[]) {
  const reference = referenceOf(part);
  if (!isObject(part) || (reference && inlined.includes(reference))) return undefined;
  const chain = reference ? [...inlined, reference] : inlined;
  const { $ref: _, ...siblings } = part;
  const target = reference ? { ...resolve(document, part), ...siblings } : part;
  const merged = mergeAllOf(document, target, chain);
  if (referenceOf(merged.schema)) return expand(document, merged.schema, merged.inlined);
  return "allOf" in merged.schema ? undefined : merged;
}

function mergeTwo(left: JsonObject, right: JsonObject): JsonObject | undefined {
  const merged: JsonObject = { ...left };
  for (const [key, value] of membersOf(right)) {
    if (key === "discriminator") continue;
    const both = Object.hasOwn(merged, key) ? mergeKeyword(key, merged[key], value) : value;
    if (both === undefined) return undefined;
    merged[key] = both;
  }
  return merged;
}

/** One value for a keyword that both schemas have; undefined if no single value can express both. */
function mergeKeyword(key: string, left: unknown, right: unknown): unknown {
  if (isAnnotation(key) || isDeepStrictEqual(left, right)) return left;
  switch (key) {
    case "properties":
      return mergeProperties(left as JsonObject, right as JsonObject);
    case "required":
      return distinct([...itemsOf(left), ...itemsOf(right)]);
    case "enum":
    case "type":
      return sharedValues([left].flat(), [right].flat());
    case "minimum":
    case "minLength":
    case "minItems":
      return Math.max(Number(left), Number(right));
    case "maximum":
    case "maxLength":
    case "maxItems":
      return Math.min(Number(left), Number(right));
    default:
      return undefined;
  }
}

function mergeProperties(left: JsonObject, right: JsonObject): JsonObject {
  const both = (schema: unknown, name: string) =>
    Object.hasOwn(left, name) ? { allOf: [left[name], schema] } : schema;
  return { ...left, ...mapObject(right, both) };
}

function sharedValues(left: unknown[], right: unknown[]): unknown[] | undefined {
  const shared = left.filter((value) => right.some((other) => isDeepStrictEqual(other, value)));
  return shared.length > 0 ? shared : undefined;
}
