import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { lookUp, resolve } from "../openapi/references.js";
import { root, visitValues } from "../openapi/walk.js";
import { quoted, Refusal } from "../refusal.js";

/** Checks the references in every value, examples included: the type generator follows all of them. */
export function vetReferences(document: JsonObject): void {
  visitValues(document, root, (value) => {
    if (!isObject(value)) return;
    for (const reference of [value.$ref, value.$dynamicRef, ...mappedReferences(value)]) {
      if (typeof reference === "string") vetReference(document, reference);
    }
    vetExamples(value.examples);
  });
}

/** A discriminator maps to names of schemas or to references, which the tools follow. */
function mappedReferences({ discriminator }: JsonObject): unknown[] {
  const mapping = isObject(discriminator) ? membersOf(discriminator.mapping) : [];
  return mapping.flatMap(([, target]) => (/[#/]/.test(String(target)) ? [target] : []));
}

/** An example can be kept elsewhere, and the tools would fetch it from there. */
function vetExamples(examples: unknown): void {
  for (const [, example] of membersOf(examples)) {
    if (isObject(example) && typeof example.externalValue === "string") throw outside(example.externalValue);
  }
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
