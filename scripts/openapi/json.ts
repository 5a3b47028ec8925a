/** A JSON object as it was parsed: nothing about its members is known yet. */
export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none for any other value. */
export const membersOf = (value: unknown) => (isObject(value) ? Object.entries(value) : []);

/** The items of an array; none for any other value. */
export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A copy of an object with every member changed; an empty object for any other value. */
export function mapObject(value: unknown, change: (member: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(membersOf(value).map(([key, member]) => [key, change(member, key)]));
}

/** The values of a list without duplicates: the first one of each key. */
export function distinct<Value>(
  values: Value[],
  keyOf: (value: Value) => unknown = (value) => value,
): Value[] {
  const first = new Map<unknown, Value>();
  for (const value of values) if (!first.has(keyOf(value))) first.set(keyOf(value), value);
  return [...first.values()];
}

/** Escapes a key for a JSON pointer. */
export const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** Unescapes a key of a JSON pointer. */
export const unescaped = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~");

/** The members in canonical order. An object could not keep it, because engines put integer-like keys first. */
export function sortedMembersOf(value: unknown): [string, unknown][] {
  return membersOf(value).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The canonical text of a JSON value: keys in one order at every depth, arrays in their own. */
export function canonicalJson(value: unknown): string {
  const sorted = (_: string, member: unknown) =>
    isObject(member) ? Object.fromEntries(sortedMembersOf(member)) : member;
  return JSON.stringify(value, sorted, 2);
}

/** The values of members, by name. */
export function groupedByName<Value>(
  members: (readonly [name: string, value: Value])[],
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const [name, value] of members) {
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/** The keys of a relation, by the values that they stand beside. */
export function inverted(
  relation: Iterable<readonly [key: string, values: string[]]>,
): Map<string, string[]> {
  return groupedByName(
    [...relation].flatMap(([key, values]) => values.map((value) => [value, key] as const)),
  );
}

/** These values, and those that a relation leads to from them, directly or indirectly. */
export function reachedBy(starts: Iterable<string>, relation: ReadonlyMap<string, string[]>): Set<string> {
  const reached = new Set(starts);
  // A set also yields what is added meanwhile.
  for (const one of reached) for (const next of relation.get(one) ?? []) reached.add(next);
  return reached;
}
