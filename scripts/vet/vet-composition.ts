import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { follow, lookUp, referenceOf } from "../openapi/references.js";
import { root, visitValues } from "../openapi/walk.js";
import { Refusal } from "../refusal.js";

/** Of how many schemas one may be composed, each counted as often as it is used. */
const mostParts = 1000;

/**
 * Looks at what schemas are composed of. One that is composed of itself describes nothing and cannot be checked;
 * one composed of two that are each composed of two, and so on, is small in the document and beyond all bounds when
 * it is put together.
 */
export function vetComposition(document: JsonObject): void {
  const counts = new Map<unknown, number>();

  /** `way`: the references that lead here, with nothing but composition between them. */
  const count = (schema: unknown, way: readonly string[]): number => {
    const known = counts.get(schema);
    if (!isObject(schema) || known !== undefined) return known ?? 1;
    const reference = referenceOf(schema);
    let total = reference === undefined ? 1 : 1 + count(lookUp(document, reference), follow(way, reference));
    for (const part of [schema.allOf, schema.anyOf, schema.oneOf].flatMap(itemsOf)) total += count(part, way);
    if (total > mostParts) {
      throw new Refusal("too-complex", `a schema of it is composed of more than ${mostParts} others`);
    }
    counts.set(schema, total);
    return total;
  };

  visitValues(document, root, (value, { kind, pointer }) => {
    if (kind === "schema") count(value, [pointer]);
  });
}
