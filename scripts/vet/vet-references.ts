import { isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import { follow, lookUp, referenceOf, resolve, root, visitValues } from "../openapi/walk.js";
import { quoted, Refusal } from "../refusal.js";

/** Checks the references in every value, examples included: the type generator follows all of them. */
export function vetReferences(document: JsonObject): void {
  visitValues(document, root, (value) => {
    if (!isObject(value)) return;
    const { $ref, $dynamicRef, discriminator, examples } = value;
    // A discriminator maps to names of schemas or to references, which the tools follow.
    const mapping = isObject(discriminator) ? membersOf(discriminator.mapping) : [];
    const mapped = mapping.flatMap(([, target]) => (/[#/]/.test(String(target)) ? [target] : []));
    for (const reference of [$ref, $dynamicRef, ...mapped]) {
      if (typeof reference === "string") vetReference(document, reference);
    }
    // An example can be external, and the tools would fetch it.
    for (const [, example] of membersOf(examples)) {
      if (isObject(example) && typeof example.externalValue === "string")
        throw outside(example.externalValue);
    }
  });
}

function vetReference(document: JsonObject, reference: string): void {
  if (!reference.startsWith("#/")) throw outside(reference);
  if (lookUp(document, reference) === undefined) {
    throw new Refusal("dangling-reference", `it refers to ${quoted(reference)}, which it does not hold`);
  }
  resolve(document, { $ref: reference });
}

function outside(reference: string): Error {
  return new Refusal("outside-reference", `it refers to ${quoted(reference)}, outside of itself`);
}

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
