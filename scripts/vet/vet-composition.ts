import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { follow, lookUp, referenceOf } from "../openapi/references.js";
import { root, visitValues } from "../openapi/walk.js";
import { Refusal } from "../refusal.js";

/** How many schemas one may be composed of, counting each as often as it is used. */
const maxParts = 1000;

/**
 * Checks what schemas are composed of. A schema that is composed of itself describes nothing. One that is composed of
 * two, each of them composed of two and so on, is small in the document and grows without bounds once it is expanded.
 */
export function vetComposition(document: JsonObject): void {
  const counts = new Map<unknown, number>();

  /** `followed`: the references that were followed to get here. */
  const count = (schema: unknown, followed: readonly string[]): number => {
    const known = counts.get(schema);
    if (!isObject(schema) || known !== undefined) return known ?? 1;
    const reference = referenceOf(schema);
    let total = 1;
    if (reference !== undefined) total += count(lookUp(document, reference), follow(followed, reference));
    const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(itemsOf);
    for (const part of parts) total += count(part, followed);
    if (total > maxParts) {
      throw new Refusal("too-complex", `a schema of it is composed of more than ${maxParts} others`);
    }
    counts.set(schema, total);
    return total;
  };

  visitValues(document, root, (value, { kind, pointer }) => {
    if (kind === "schema") count(value, [pointer]);
  });
}
