import { unescaped } from "../openapi/json.js";

/** How much a change affects users of the SDK, the least severe level first. */
const levels = ["none", "docs", "additive", "breaking"] as const;

/** How severe a change of the document is for the users of the SDK. */
export type Level = (typeof levels)[number];

/** One difference between two documents. */
export interface Change {
  level: Level;
  rule: string;
  /** A JSON pointer into the document. */
  where: string;
}

/** Orders levels, the least severe first. */
export function bySeverity(left: Level, right: Level): number {
  return levels.indexOf(left) - levels.indexOf(right);
}

/** Keys that a reader does not need to find the place. */
const structure = new Set(["content", "schema", "anyOf", "oneOf", "allOf", "schemas"]);

/**
 * A JSON pointer in readable form, such as "`POST /public/v1/apps` request `extraContext maxLength`". Its names come
 * from the document, so all but plain characters are replaced.
 */
export function readablePlace(pointer: string): string {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => plain(unescaped(key)));
  if (keys[0] !== "paths" || keys[1] === undefined) return `\`${keys.join(" ")}\``;
  const [, path, method, ...rest] = keys;
  return [
    `\`${[method?.toUpperCase(), path].filter(Boolean).join(" ")}\``,
    ...partOf(rest),
    ...nameOf(rest.slice(rest[0] === "responses" ? 2 : 1)),
  ].join(" ");
}

function partOf([part, status]: string[]): string[] {
  if (part === undefined) return [];
  return [part === "requestBody" ? "request" : part === "responses" ? `answer ${status ?? ""}`.trim() : part];
}

function nameOf(keys: string[]): string[] {
  const names: string[] = [];
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (key === "properties" && index + 1 < keys.length) {
      names.push(keys[++index] as string);
    } else if (key === "items") {
      names.push("[]");
    } else if (!structure.has(key) && !key.includes("/") && !/^\d+$/.test(key)) {
      names.push(key);
    }
  }
  return names.length > 0 ? [`\`${names.join(" ")}\``] : [];
}

function plain(text: string): string {
  return text.slice(0, 100).replace(/[^\w/{}.~:@%+$[\]-]/g, "?");
}
