import { isRecord } from "../../schema/parse.js";
import { isSecret } from "../../secrets/mask.js";
import { printableLine } from "../output.js";
import type { Answer } from "./answer.js";

/** What an answer gave, as it came. */
export function gaveOf({ status, value = "" }: Answer): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return printableLine(`${status} ${text.slice(0, 500)}`);
}

/** How an answer looks: its status, and the names and types of its fields, which tell two services apart, not its words. */
export function formOf({ status, value, isJson, isTooDeep, error }: Answer): string {
  if (status === undefined) return "no answer";
  if (isTooDeep) return `${status} (nested too deep to be compared)`;
  if (isJson) return `${status} ${shapeOf(value)}`;
  if (typeof value === "string") return `${status} ${/^\s*</.test(value) ? "a web page" : "a text"}`;
  return error && !("body" in error) ? `${status}, not to its end` : `${status} empty`;
}

/** The names and types of the fields of a value. Most are strings, so that type goes without saying. */
export function shapeOf(value: unknown): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  const isList = Array.isArray(value);
  if (Object.keys(value).length === 0) return isList ? "[]" : "{}";
  const fields = fieldsOf(isList ? value : [value]);
  if (!isList) return `{ ${fields} }`;
  return value.some(isRecord) ? `[{ ${fields} }]` : `[${fields}]`;
}

/** The fields of some values, which may be of several kinds. */
export function fieldsOf(values: readonly unknown[]): string {
  const fields = values.flatMap((value) => {
    if (!isRecord(value)) return [shapeOf(value)];
    const entries = Object.entries(value);
    return entries.map(([name, part]) => (typeof part === "string" ? name : `${name}: ${shapeOf(part)}`));
  });
  if (fields.length > 0) return [...new Set(fields)].sort().join(", ");
  return values.length > 0 ? "no fields" : "none";
}

/**
 * What replaces a key by `***` wherever a text of an answer repeats it: plain, in upper or lower case, in Base64, and
 * escaped for JSON, a URL or HTML.
 */
export function withoutKey(key: string): (text: string) => string {
  if (!isSecret(key)) return (text) => text;
  const spelt = [key, ...inBase64(key)].map((text) => [...text].map(spellings).join(""));
  const pattern = new RegExp(spelt.join("|"), "gi");
  return (text) => text.replace(pattern, "***");
}

/** A pattern for a character as it is and escaped, perhaps several times: `/` is also `\/`, `\u002f`, `%2F` and `&#47;`. */
function spellings(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, "0");
  // Base64 for URLs, and the names that HTML has for some.
  const other = { "+": "|-", "/": "|_", "&": "|&amp;", "<": "|&lt;", ">": "|&gt;", '"': "|&quot;" }[
    character
  ];
  return `(?:\\\\{0,8}(?:\\x${hex}|u00${hex})|%(?:25){0,4}${hex}|&#0{0,6}(?:${code}|x0{0,6}${hex});${other ?? ""})`;
}

/** What a text is in Base64 within a longer one, where it may begin at three places: the part that it alone decides. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from(" ".repeat(before) + text)
      .toString("base64")
      .replace(/=+$/, "");
    return encoded.slice([0, 2, 3][before], (before + text.length) % 3 > 0 ? -1 : undefined);
  });
}
