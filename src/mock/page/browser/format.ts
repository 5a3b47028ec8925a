import { numberIn } from "../../../text/figures.js";

/** A time in UTC, in which the service counts its months. */
export function formatTime(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 19).replace("T", " ");
}

/** The number in a field. Other text is sent unchanged, so that the mock refuses it with a reason. */
export function typedNumber(text: string): number | string {
  const number = numberIn(text);
  return Number.isNaN(number) ? text : number;
}

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
