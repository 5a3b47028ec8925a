import { textCleaner } from "./redact-text.js";

/**
 * Replaces each secret in a value with `***`, wherever it is: in strings (also with the escapes of JSON, URLs and
 * HTML), field names, errors, their causes, headers and collections. A value without secrets is returned as it is, not
 * copied. In copies, errors keep their class, and objects of other classes become plain ones. A value that cannot be
 * inspected becomes `***`.
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
 * Copies only the objects that hold a secret and those that lead to them. Errors may refer to each other in circles and
 * answers may nest deeply, so it walks a list instead of recursing.
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

/** All reachable objects with those that refer to them, and the objects that hold a secret. */
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

/** Everything that a value holds, including names. */
function partsOf(value: object): Iterable<unknown> {
  if (isOne(value, "Map") || isOne(value, "Headers")) return [...value].flat();
  if (isOne(value, "Set")) return value;
  return fieldsOf(value).flatMap(([name, field]) => [name, field.value]);
}

function emptyCopy(value: object): object {
  if (Array.isArray(value)) return [];
  if (isOne(value, "Map")) return new Map();
  if (isOne(value, "Set")) return new Set();
  if (isOne(value, "Headers")) return new Headers();
  if (!isError(value)) return {};
  // The accessors of a `DOMException` work only on the original, so its copy becomes an ordinary error.
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

/** An object's own fields. Of a request or a response, which an error of `fetch` may carry, only the headers. */
function fieldsOf(value: object): Field[] {
  if (Array.isArray(value)) return ownFields(value);
  if (ArrayBuffer.isView(value)) return [];
  const headers = carriedHeaders(value);
  if (headers) return [["headers", { value: headers, enumerable: true }]];
  return isError(value) ? [...errorFields(value), ...ownFields(value)] : ownFields(value);
}

function ownFields(value: object): Field[] {
  const names = Reflect.ownKeys(value);
  const fields = names.map((name) => [name, Object.getOwnPropertyDescriptor(value, name)] as Field);
  return fields.filter(([, field]) => field && "value" in field);
}

/** The fields of every error, which may be behind accessors. An own field of the same name comes later and wins. */
function errorFields(error: Error): Field[] {
  const hidden = { writable: true, configurable: true };
  return (["name", "message", "stack"] as const).map((name) => [name, { value: error[name], ...hidden }]);
}

/** Whether a value is an error. Those of Node's `fetch` are of another realm in runners that isolate test files. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || ["Error", "DOMException"].includes(tagOf(value));
}

/** Whether a value is such a collection, of this realm, another realm or another implementation. */
function isOne(value: object, tag: "Map"): value is Map<unknown, unknown>;
function isOne(value: object, tag: "Set"): value is Set<unknown>;
function isOne(value: object, tag: "Headers"): value is Headers;
function isOne(value: object, tag: string): boolean {
  return tagOf(value) === tag && typeof (value as Iterable<unknown>)[Symbol.iterator] === "function";
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** The headers of a `Request` or a `Response`, which are behind an accessor of the class. */
function carriedHeaders(value: object): Headers | undefined {
  if (Object.hasOwn(value, "headers")) return undefined;
  try {
    const { headers } = value as { headers?: object };
    return headers && isOne(headers, "Headers") ? headers : undefined;
  } catch {
    return undefined;
  }
}
