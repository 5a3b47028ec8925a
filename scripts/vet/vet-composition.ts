import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { follow, lookUp, referenceOf } from "../openapi/references.js";
import { root, visitValues } from "../openapi/walk.js";
import { Refusal } from "../refusal.js";

/** How many schemas one may be composed of, counting each as often as it is used. */
const mostParts = 1000;

/**
 * Checks what schemas are composed of. A schema that is composed of itself describes nothing. One that is composed of
 * two, each of them composed of two and so on, is small in the document and grows without bounds once it is expanded.
 */
export function vetComposition(document: JsonObject): void {
  const counts = new Map<unknown, number>();

  /** `way`: the references that were followed to get here. */
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
