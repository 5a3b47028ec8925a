/** The forms of a filter by status: `404`, `4xx`, or `none` for requests without an answer. */
export const statusFilter = /^([1-5]\d\d|[1-5]xx|none)$/;

/** @param wanted a filter that matches `statusFilter` */
export function hasStatus(status: number | undefined, wanted: string): boolean {
  const text = String(status ?? "none");
  return wanted.endsWith("xx") ? text[0] === wanted[0] : text === wanted;
}
