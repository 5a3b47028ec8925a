import { isObject, type JsonObject } from "./json.js";

/** The value that a `#/…` reference points at, or undefined. */
export function lookUp(document: JsonObject, reference: string): unknown {
  let value: unknown = document;
  for (const part of reference.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const holder: unknown = value;
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) {
      return undefined;
    }
    value = (holder as JsonObject)[key];
  }
  return value;
}

export function referenceOf(value: unknown): string | undefined {
  return isObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;
}

/** The object itself, or the one at the end of its chain of references; empty when there is none. */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  const seen = new Set<string>();
  let target = value;
  for (let reference = referenceOf(target); reference; reference = referenceOf(target)) {
    if (seen.has(reference)) {
      throw new Error(`Failed to follow ${reference}: it refers to itself. Please correct the document.`);
    }
    seen.add(reference);
    target = lookUp(document, reference);
  }
  return isObject(target) ? target : {};
}
