import { masker } from "./mask.js";

type Clean = (text: string) => string;

/**
 * Replaces each secret in a value with `***`, wherever it is: in strings, field names, errors, their causes, headers,
 * collections and the fields of functions. A value without secrets is returned as it is. In copies, errors keep their
 * class, and functions and objects of other classes become plain objects. A value that cannot be inspected becomes `***`.
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
  const clean = masker(secrets, () => "***");
  try {
    return holds(value, clean, new Set()) ? (cleanCopy(value, clean, new Map()) as T) : value;
  } catch {
    return "***" as T;
  }
}

/** Whether a secret is in a value or in anything that it refers to; `seen` ends the circles of errors. */
function holds(value: unknown, clean: Clean, seen: Set<unknown>): boolean {
  if (typeof value === "string") return clean(value) !== value;
  if (!hasParts(value) || seen.has(value)) return false;
  seen.add(value);
  return partsOf(value).some(([name, part]) => holds(name, clean, seen) || holds(part, clean, seen));
}

function cleanCopy(value: unknown, clean: Clean, copies: Map<unknown, unknown>): unknown {
  if (typeof value === "string") return clean(value);
  if (!hasParts(value)) return value;
  if (copies.has(value)) return copies.get(value);
  const copy = emptyCopy(value);
  copies.set(value, copy);
  for (const [name, part] of partsOf(value)) {
    const cleanName = cleanCopy(name, clean, copies);
    const cleanPart = cleanCopy(part, clean, copies);
    if (copy instanceof Headers) copy.append(String(cleanName), String(cleanPart));
    else if (copy instanceof Map) copy.set(cleanName, cleanPart);
    else if (copy instanceof Set) copy.add(cleanPart);
    else {
      const { enumerable = false } = Object.getOwnPropertyDescriptor(value, name as string) ?? {};
      const field = { value: cleanPart, enumerable, writable: true, configurable: true };
      Object.defineProperty(copy, cleanName as string, field);
    }
  }
  return copy;
}

function hasParts(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function emptyCopy(value: object): object {
  if (Array.isArray(value)) return [];
  const tag = tagOf(value);
  if (tag === "Map") return new Map();
  if (tag === "Set") return new Set();
  if (tag === "Headers") return new Headers();
  if (!isError(value)) return {};
  // The accessors of a `DOMException` work only on the original, so its copy becomes an ordinary error.
  const prototype = tag === "DOMException" ? Error.prototype : Object.getPrototypeOf(value);
  return Object.setPrototypeOf(new Error(), prototype);
}

/** Everything that a value holds, by name. Of a request or a response, which an error may carry, only the headers. */
function partsOf(value: object): [name: unknown, part: unknown][] {
  const tag = tagOf(value);
  if (tag === "Map" || tag === "Headers") return [...(value as Map<unknown, unknown>)];
  if (tag === "Set") return [...(value as Set<unknown>)].map((part) => ["", part]);
  if (tag === "Request" || tag === "Response") return [["headers", (value as Response).headers]];
  if (ArrayBuffer.isView(value)) return [];
  // What a copy has anyway, or what none of its users reads.
  const needless = Array.isArray(value) ? "length" : typeof value === "function" ? "prototype" : undefined;
  const own = Reflect.ownKeys(value).filter((name) => name !== needless);
  // The fields of every error, which may be behind accessors.
  const names = isError(value) ? new Set(["name", "message", "stack", ...own]) : own;
  return [...names].map((name) => [name, (value as Record<PropertyKey, unknown>)[name]]);
}

/** Whether a value is an error. Those of Node's `fetch` are of another realm in runners that isolate test files. */
function isError(value: unknown): value is Error {
  return value instanceof Error || ["Error", "DOMException"].includes(tagOf(value));
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
