import { itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
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
    vetValue(document, member);
  }
}

function vetReference(document: JsonObject, reference: string): void {
  if (!reference.startsWith("#/")) {
    throw refusal("outside-reference", `it refers to ${quoted(reference)}, outside of itself`);
  }
  if (lookUp(document, reference) === undefined) {
    throw refusal("dangling-reference", `it refers to ${quoted(reference)}, which it does not hold`);
  }
  resolve(document, { $ref: reference });
}
