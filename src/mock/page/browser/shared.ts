import type { VNode } from "preact";

type Item = { id?: unknown };

/**
 * The new value, with every unchanged part taken over from the old one, so that an update renders only what differs.
 * Items with an id are matched by it, wherever they are in their list.
 */
export function shared<Value>(before: unknown, after: Value): Value {
  if (Object.is(before, after) || typeof before !== "object" || typeof after !== "object") return after;
  if (before === null || after === null) return after;
  return Array.isArray(after)
    ? (sharedList(Array.isArray(before) ? before : [], after) as Value)
    : sharedObject(before as Record<string, unknown>, after);
}

function sharedObject<Value extends object>(before: Record<string, unknown>, after: Value): Value {
  const entries = Object.entries(after).map(([name, part]) => [name, shared(before[name], part)] as const);
  const isSame =
    entries.length === Object.keys(before).length && entries.every(([name, part]) => part === before[name]);
  return (isSame ? before : Object.fromEntries(entries)) as Value;
}

function sharedList(before: Item[], after: Item[]): Item[] {
  const byId = new Map(before.map((item, index) => [item?.id ?? index, item]));
  const items = after.map((item, index) => shared(byId.get(item?.id ?? index), item));
  return items.length === before.length && items.every((item, index) => item === before[index])
    ? before
    : items;
}

/** Makes a node once for each object: `shared` keeps unchanged objects, and the renderer skips known nodes. */
export function remembered<Item extends object>(make: (item: Item) => VNode): (item: Item) => VNode {
  const made = new WeakMap<Item, VNode>();
  return (item) => {
    let part = made.get(item);
    if (!part) {
      part = make(item);
      made.set(item, part);
    }
    return part;
  };
}
