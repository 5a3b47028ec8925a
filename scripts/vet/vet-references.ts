import { isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import { lookUp, resolve } from "../openapi/references.js";
import { quoted } from "../refusal.js";
import { refusal } from "./refuse.js";

/** Looks at every value, examples included, as the type generator follows references wherever they stand. */
export function vetReferences(document: JsonObject): void {
  vetValue(document, document);
}

function vetValue(document: JsonObject, value: unknown): void {
  for (const item of itemsOf(value)) {
    vetValue(document, item);
  }
  for (const [key, member] of membersOf(value)) {
    if ((key === "$ref" || key === "$dynamicRef") && typeof member === "string") {
      vetReference(document, member);
    }
    if (key === "discriminator" && isObject(member)) vetMapping(document, member.mapping);
    if (key === "examples") vetExamples(member);
    vetValue(document, member);
  }
}

/** A mapping leads to schemas by their names, or by references; the tools follow those. */
function vetMapping(document: JsonObject, mapping: unknown): void {
  for (const [, target] of membersOf(mapping)) {
    if (typeof target === "string" && /[#/]/.test(target)) vetReference(document, target);
  }
}

/** An example may be said to be elsewhere, and the tools fetch it from there. */
function vetExamples(examples: unknown): void {
  for (const [, example] of membersOf(examples)) {
    if (isObject(example) && typeof example.externalValue === "string") throw outside(example.externalValue);
  }
}

function vetReference(document: JsonObject, reference: string): void {
  if (!reference.startsWith("#/")) throw outside(reference);
  if (lookUp(document, reference) === undefined) {
    throw refusal("dangling-reference", `it refers to ${quoted(reference)}, which it does not hold`);
  }
  resolve(document, { $ref: reference });
}

function outside(reference: string): Error {
  return refusal("outside-reference", `it refers to ${quoted(reference)}, outside of itself`);
}
