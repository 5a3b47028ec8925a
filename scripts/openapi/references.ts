import { quoted, Refusal } from "../refusal.js";
import { isObject, type JsonObject } from "./json.js";

/** The value that a `#/…` reference points at, or undefined. */
export function lookUp(document: JsonObject, reference: string): unknown {
  const keys = keysOf(reference);
  let value: unknown = keys && document;
  for (const key of keys ?? []) {
    const holder: unknown = value;
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return undefined;
    value = (holder as JsonObject)[key];
  }
  return value;
}

/** The keys that a reference leads through, unless it is no good URL fragment. */
function keysOf(reference: string): string[] | undefined {
  const parts = reference.split("/").slice(1);
  try {
    return parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
}

export function referenceOf(value: unknown): string | undefined {
  return isObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;
}

/** The object itself, or the one at the end of its chain of references; empty when there is none. */
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

export function circular(reference: string): Refusal {
  return new Refusal(
    "circular-reference",
    `Failed to follow ${quoted(reference)}: it leads back to itself. Please correct the document.`,
  );
}
