import { textCleaner } from "./redact-text.js";

/**
 * The value with each secret replaced by `***`, wherever it stands: in strings, also in the escapes of JSON, URLs and
 * HTML, in names of fields, errors, their causes, headers and collections. What holds no secret is returned as it is,
 * not copied; of the rest, errors keep their class, and what else is no plain object becomes one. What cannot be
 * looked at becomes `***`.
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
  const clean = textCleaner(secrets);
  if (clean === undefined) return value;
  try {
    if (typeof value === "string") return clean(value) as T;
    if (typeof value !== "object" || value === null) return value;
    return cleanGraph(value, clean) as T;
  } catch {
    return "***" as T;
  }
}

type Clean = (text: string) => string;

/**
 * Copies what holds a secret and whatever leads there, and nothing else. Errors refer to each other in circles and
 * answers nest at will, so it walks a list, not the stack.
 */
function cleanGraph(root: object, clean: Clean): object {
  const { users, stained } = lookedThrough(root, clean);
  const copies = new Map<object, object>();
  for (const value of stained) {
    if (copies.has(value)) continue;
    copies.set(value, emptyCopy(value));
    for (const user of users.get(value) ?? []) stained.push(user);
  }
  const cleaned = (part: unknown) =>
    typeof part === "string" ? clean(part) : (copies.get(part as object) ?? part);
  for (const [value, copy] of copies) fill(copy, value, cleaned);
  return copies.get(root) ?? root;
}

/** Every object within reach with those that hold it, and those of them that hold a secret. */
function lookedThrough(root: object, clean: Clean) {
  const users = new Map<object, object[]>([[root, []]]);
  const stained: object[] = [];
  for (const [holder] of users) {
    let isClean = true;
    for (const part of partsOf(holder)) {
      if (typeof part === "string") isClean &&= clean(part) === part;
      if (typeof part !== "object" || part === null) continue;
      const known = users.get(part);
      if (known) known.push(holder);
      else users.set(part, [holder]);
    }
    if (!isClean) stained.push(holder);
  }
  return { users, stained };
}

/** All that a value holds, names as well as values. */
function partsOf(value: object): Iterable<unknown> {
  if (isOne(value, "Map") || isOne(value, "Headers")) return [...value].flat();
  if (isOne(value, "Set")) return value;
  const parts: unknown[] = [];
  for (const [name, field] of fieldsOf(value)) parts.push(name, field.value);
  return parts;
}

function emptyCopy(value: object): object {
  if (Array.isArray(value)) return [];
  if (isOne(value, "Map")) return new Map();
  if (isOne(value, "Set")) return new Set();
  if (isOne(value, "Headers")) return new Headers();
  if (!isError(value)) return {};
  // What a `DOMException` says is bound to the object that says it, so it becomes an error like others.
  const prototype = tagOf(value) === "DOMException" ? Error.prototype : Object.getPrototypeOf(value);
  return Object.setPrototypeOf(new Error(), prototype);
}

function fill(copy: object, value: object, cleaned: (part: unknown) => unknown): void {
  if (copy instanceof Headers) {
    for (const [name, text] of value as Headers)
      copy.append(cleaned(name) as string, cleaned(text) as string);
  } else if (copy instanceof Map) {
    for (const [key, one] of value as Map<unknown, unknown>) copy.set(cleaned(key), cleaned(one));
  } else if (copy instanceof Set) {
    for (const one of value as Set<unknown>) copy.add(cleaned(one));
  } else {
    for (const [name, field] of fieldsOf(value)) {
      const cleanName = cleaned(name) as PropertyKey;
      Object.defineProperty(copy, cleanName, { ...field, value: cleaned(field.value) });
    }
  }
}

type Field = [name: PropertyKey, field: PropertyDescriptor];

/** An object's own fields; of a request or an answer, which an error of `fetch` may carry along, its headers. */
function fieldsOf(value: object): Field[] {
  if (Array.isArray(value)) return ownFields(value);
  if (ArrayBuffer.isView(value)) return [];
  const headers = carriedHeaders(value);
  if (headers) return [["headers", { value: headers, enumerable: true }]];
  return isError(value) ? [...errorFields(value), ...ownFields(value)] : ownFields(value);
}

function ownFields(value: object): Field[] {
  const fields: Field[] = [];
  for (const name of Reflect.ownKeys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    if (field && "value" in field) fields.push([name, field]);
  }
  return fields;
}

/** What each error says of itself, which may be behind accessors; an own field of the same name comes after. */
function errorFields(error: Error): Field[] {
  return (["name", "message", "stack"] as const).map((name) => [name, hidden(error[name])]);
}

function hidden(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true };
}

/** The errors of Node's own `fetch` are of another realm in a runner that gives each test file its globals. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || ["Error", "DOMException"].includes(tagOf(value));
}

/** A collection, be its class of this realm or of another, or of another implementation. */
function isOne(value: object, tag: "Map"): value is Map<unknown, unknown>;
function isOne(value: object, tag: "Set"): value is Set<unknown>;
function isOne(value: object, tag: "Headers"): value is Headers;
function isOne(value: object, tag: string): boolean {
  return tagOf(value) === tag && typeof (value as Iterable<unknown>)[Symbol.iterator] === "function";
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** A `Request` and a `Response` have them behind an accessor of their class. */
function carriedHeaders(value: object): Headers | undefined {
  if (Object.hasOwn(value, "headers")) return undefined;
  try {
    const { headers } = value as { headers?: object };
    return headers && isOne(headers, "Headers") ? headers : undefined;
  } catch {
    return undefined;
  }
}
