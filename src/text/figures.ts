/** A count with its noun: `plural(2, "poll")`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A duration in at most two units: `75 s` is `1 min 15 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}

/** A number, also one that is written as text, as some documents do; NaN for everything else. */
export function numberIn(value: unknown): number {
  const isText = typeof value === "string" && value.trim() !== "";
  const number = isText || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : Number.NaN;
}
