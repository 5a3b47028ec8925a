/** Whether a value can be a path segment. An empty one, `.` or `..` would lead to another path. */
export function isSegment(value: unknown): value is string {
  return typeof value === "string" && !/^\.{0,2}$/.test(value);
}
