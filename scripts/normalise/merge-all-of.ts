import { isDeepStrictEqual } from "node:util";
import { distinct, isObject, itemsOf, type JsonObject, mapObject, membersOf } from "../openapi/json.js";
import { hasOnly, isAnnotation } from "../openapi/keywords.js";
import { referenceOf, resolve } from "../openapi/references.js";

/** One schema instead of `allOf`, where that can be said in one; the schema as it is where it cannot. */
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

/** A part of `allOf` without references or an `allOf` of its own; undefined when it leads back to itself. */
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
    if (!Object.hasOwn(merged, key)) {
      merged[key] = value;
      continue;
    }
    const joined = mergeKeyword(key, merged[key], value);
    if (joined === undefined) return undefined;
    merged[key] = joined;
  }
  return merged;
}

/** What both say together, or undefined when that takes more than one keyword. */
function mergeKeyword(key: string, left: unknown, right: unknown): unknown {
  if (isAnnotation(key) || isDeepStrictEqual(left, right)) return left;
  switch (key) {
    case "properties":
      return mergeProperties(left as JsonObject, right as JsonObject);
    case "required":
      return distinct([...itemsOf(left), ...itemsOf(right)]);
    case "enum":
      return nonEmpty(itemsOf(left).filter((value) => holds(itemsOf(right), value)));
    case "type":
      return nonEmpty([left].flat().filter((type) => holds([right].flat(), type)));
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
  const both = mapObject(right, (schema, name) =>
    Object.hasOwn(left, name) ? { allOf: [left[name], schema] } : schema,
  );
  return { ...left, ...both };
}

function holds(list: unknown[], value: unknown): boolean {
  return list.some((item) => isDeepStrictEqual(item, value));
}

function nonEmpty(list: unknown[]): unknown[] | undefined {
  return list.length > 0 ? list : undefined;
}
