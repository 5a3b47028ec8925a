/** Whether a value can be a part of a path: an id of `..` would lead to another path, and an empty one too. */
export function isSegment(value: unknown): value is string {
  return typeof value === "string" && !/^\.{0,2}$/.test(value);
}
