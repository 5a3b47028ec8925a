/** A time in UTC, in which the service counts its months. */
export function formatTime(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 19).replace("T", " ");
}

/** A duration in at most two units. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}

/** A count with its noun: `plural(2, "poll")`. */
export const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The number in a field. Other text is sent unchanged, so that the mock refuses it with a reason. */
export const numberIn = (text: string): number | string =>
  text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);

/** The parsed text if it is JSON, otherwise the text itself. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Cuts a text that is too long to be shown. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** Any value as text: a string unchanged, everything else as JSON. */
export function textOf(value: unknown, longest: number): string {
  return cut(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), longest);
}
