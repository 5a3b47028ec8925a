type Reason = readonly [failed: string, advice: string];

const accept: Reason = ["accept the document", "correct it or give the right one"];
const pull: Reason = ["pull the document", "check the URL and try again"];

/** Every reason for a refusal, by its code: what failed, and what to do about it. The codes never change. */
const refusals = {
  usage: ["read the command line", "give --from URL_OR_FILE, --check or nothing"],
  "no-released-document": ["rate the changes", "restore it from the last release"],
  "bad-url": ["read --from", "give the service's base URL, the URL of a document or a file"],
  "insecure-url": ["pull the document", "use https"],
  "bad-key": ["read SCREENSHOT_SETS_API_KEY", "correct it"],
  "unreadable-file": ["read the document", "give the file of a document"],
  redirect: pull,
  unreachable: pull,
  "http-status": pull,
  "broken-off": pull,
  "too-slow": pull,
  "too-large": ["read the document", "give the service's OpenAPI document"],
  "not-utf-8": ["read the document", "give it as UTF-8"],
  "not-json": ["read the document", "give it as JSON"],
  "duplicate-key": accept,
  "proto-key": accept,
  "too-deep": accept,
  "not-openapi": accept,
  malformed: accept,
  "unsafe-name": accept,
  "outside-reference": accept,
  "dangling-reference": accept,
  "circular-reference": accept,
  "too-complex": accept,
  "duplicate-path": accept,
  "missing-operation": accept,
  "missing-body": accept,
  "missing-answer": accept,
  "required-parameter": accept,
  "does-not-compile": ["compile the SDK", "correct the document or the SDK"],
} satisfies Record<string, Reason>;

type RefusalCode = keyof typeof refusals;

/** Thrown when a document is refused, before anything is changed. The message is one line. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly reason: string,
  ) {
    const [failed, advice] = refusals[code];
    super(`Failed to ${failed}: ${reason}. Please ${advice}.`);
  }
}

const networkCodes: RefusalCode[] = ["unreachable", "http-status", "broken-off", "too-slow"];

/** The exit code for an error: 2 for a refusal, 3 for a failed pull, 4 for a bug. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof Refusal)) return 4;
  return networkCodes.includes(error.code) ? 3 : 2;
}

/** Quotes a document's text for a message: on one line, in ASCII, and truncated if it is long. */
export function quoted(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return JSON.stringify(short).replace(/[^\x20-\x7e…]/g, escapeOf);
}

/**
 * Escapes control characters and marks of the direction of writing, which would hide or move the text beside them. In code
 * and JSON they only stand in strings and comments, where the escapes mean the same.
 */
export function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escapeOf);
}

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A name or a value of the document with all but plain characters replaced, for text that people read. */
export const plain = (text: string): string => text.slice(0, 100).replace(/[^\w/{}.~:@%+$[\]-]/g, "?");

/** A name or a value of the document, as code. */
export function label(value: unknown): string {
  return `\`${plain(typeof value === "string" ? value : JSON.stringify(value))}\``;
}
