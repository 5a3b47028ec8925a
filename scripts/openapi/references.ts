import { quoted, Refusal } from "../refusal.js";
import { isObject, type JsonObject, unescaped } from "./json.js";
import { root, visitValues } from "./walk.js";

/** The value that a `#/…` reference points at, or undefined. */
export function lookUp(document: JsonObject, reference: string): unknown {
  let value: unknown = document;
  for (const key of reference.split("/").slice(1).map(decoded)) {
    if (key === undefined || typeof value !== "object" || value === null) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** A key as it is in the document; undefined if it is badly encoded. */
function decoded(key: string): string | undefined {
  try {
    return unescaped(decodeURIComponent(key));
  } catch {
    return undefined;
  }
}

/** What a reference points at; undefined for anything else. */
export function referenceOf(value: unknown): string | undefined {
  return isObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;
}

/** Every reference inside a value. */
export function referencesIn(value: unknown): string[] {
  const references: string[] = [];
  visitValues(value, root, (inner) => {
    const reference = referenceOf(inner);
    if (reference) references.push(reference);
  });
  return references;
}

/** The object itself, or the object that its references lead to; an empty one if there is none. */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  const seen = new Set<string>();
  let target = value;
  for (let reference = referenceOf(target); reference; reference = referenceOf(target)) {
    if (seen.has(reference)) throw circular(reference);
    seen.add(reference);
    target = lookUp(document, reference);
  }
  return isObject(target) ? target : {};
}

/** The references that were followed, with one more; throws if it was followed before. */
export function follow(followed: readonly string[], reference: string): string[] {
  if (followed.includes(reference)) throw circular(reference);
  return [...followed, reference];
}

function circular(reference: string): Refusal {
  return new Refusal("circular-reference", `its reference ${quoted(reference)} leads back to itself`);
}
