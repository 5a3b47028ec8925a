import type { VNode } from "preact";

/** Makes a part once for each object, and the renderer passes over a part that it has seen. */
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
