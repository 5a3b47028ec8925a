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

/**
 * A JSON pointer in readable form, such as "`POST /public/v1/apps` request `extraContext maxLength`". Its names come
 * from the document, so all but plain characters are replaced.
 */
export function readablePlace(pointer: string): string {
  const [paths = "", path, method, part, ...keys] = pointer.split("/").slice(1).map(plain);
  const code = (names: (string | undefined)[]) => {
    const text = names.filter((name) => name).join(" ");
    return text && `\`${text}\``;
  };
  if (paths !== "paths") return code([paths, path, method, part, ...keys]);
  const place = { requestBody: "request", responses: `answer ${keys[0] ?? ""}`.trim() }[String(part)] ?? part;
  const names = namesOf(part === "responses" ? keys.slice(1) : keys);
  return [code([method?.toUpperCase(), path]), place, code(names)].filter((text) => text).join(" ");
}

/** Omits the keys that a reader does not need to find the place. */
function namesOf([key, ...rest]: string[]): string[] {
  if (key === undefined) return [];
  if (key === "properties" && rest.length > 0) return [rest[0] as string, ...namesOf(rest.slice(1))];
  const isNeedless = /^(?:content|schemas?|anyOf|oneOf|allOf|\d+)$|\//.test(key);
  return [...(isNeedless ? [] : [key === "items" ? "[]" : key]), ...namesOf(rest)];
}

/** A name or a value of the document with all but plain characters replaced, for text that people read. */
export function plain(key: string): string {
  return unescaped(key)
    .slice(0, 100)
    .replace(/[^\w/{}.~:@%+$[\]-]/g, "?");
}
