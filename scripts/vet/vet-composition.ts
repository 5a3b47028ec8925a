import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { follow, lookUp, referenceOf, root, visitValues } from "../openapi/walk.js";
import { Refusal } from "../refusal.js";

/** The maximum number of schemas that one schema is composed of. Each counts as often as it is used. */
const maxParts = 1000;

/**
 * Checks the composition of schemas. A schema that is composed of itself describes nothing. If a schema is composed of
 * two others, each of them of two more and so on, the document is small, but its expansion grows without bounds.
 */
export function vetComposition(document: JsonObject): void {
  const counts = new Map<unknown, number>();

  /** `followed`: the references that lead to this schema. */
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
