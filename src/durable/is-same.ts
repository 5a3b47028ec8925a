import { isRecord } from "../schema/parse.js";

/**
 * Whether two values are the same as JSON: objects by their names, lists by their order. Databases write the names of an
 * object in an order of their own. A missing field is `undefined`, and not `null`; a value that is either is none.
 */
export function isSame(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

const textOf = (value: unknown) =>
  JSON.stringify(value ?? null, (_, part) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part,
  );

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);
