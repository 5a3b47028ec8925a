import { ConnectionError } from "../../index.js";
import { isRecord } from "../../schema/parse.js";
import { typeName } from "../../schema/type-name.js";
import { printableLine } from "../output.js";
import type { Answer } from "./ask.js";

/** What an answer gave, as it came. */
export function gaveOf({ status, body }: Answer): string {
  return printableLine(`${status} ${body.text.slice(0, 500)}`);
}

/** How an answer looks: its status and the names of its fields, which tell two services apart, not its words. */
export function formOf({ status, body, isWhole, error }: Answer): string {
  if (status === undefined) {
    const code = error instanceof ConnectionError ? error.code : undefined;
    return error instanceof ConnectionError ? `no answer${code ? ` (${code})` : ""}` : "no answer in time";
  }
  if (!isWhole) return `${status}, not to its end`;
  if (body.isJson) return `${status} ${shapeOf(body.value)}`;
  if (body.value === undefined) return `${status} empty`;
  return `${status} ${/^\s*</.test(body.text) ? "a web page" : "a text"}`;
}

/** The names of the fields of some values, which may be of several kinds. */
export function fieldsOf(values: readonly unknown[]): string {
  const names = values.flatMap((value) => (isRecord(value) ? Object.keys(value) : [typeName(value)]));
  if (names.length > 0) return [...new Set(names)].sort().join(", ");
  return values.length > 0 ? "no fields" : "none";
}

/** The fields of a value, and of those in it; a list is shown by its first entry. */
function shapeOf(value: unknown, depth = 0): string {
  if (Array.isArray(value) && value.length > 0)
    return depth < 3 ? `[${shapeOf(value[0], depth + 1)}]` : "[…]";
  if (Array.isArray(value)) return "[]";
  if (!isRecord(value)) return typeName(value);
  const fields = Object.entries(value).map(([name, part]) => {
    const isNested = typeof part === "object" && part !== null && depth < 3;
    return isNested ? `${name}: ${shapeOf(part, depth + 1)}` : name;
  });
  return fields.length > 0 ? `{ ${fields.sort().join(", ")} }` : "{}";
}
