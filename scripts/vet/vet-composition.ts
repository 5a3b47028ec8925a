import { isObject, itemsOf, type JsonObject } from "../openapi/json.js";
import { circular, lookUp, referenceOf } from "../openapi/references.js";
import { visitSchemas } from "../openapi/visit-schemas.js";
import { refusal } from "./refuse.js";

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
    const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(itemsOf);
    let total =
      1 + (reference === undefined ? 0 : count(lookUp(document, reference), follow(way, reference)));
    for (const part of parts) {
      total += count(part, way);
    }
    if (total > mostParts) {
      throw refusal("too-complex", `a schema of it is composed of more than ${mostParts} others`);
    }
    counts.set(schema, total);
    return total;
  };

  visitSchemas(document, (schema, pointer) => {
    count(schema, [pointer]);
  });
}

function follow(way: readonly string[], reference: string): string[] {
  if (way.includes(reference)) throw circular(reference);
  return [...way, reference];
}
