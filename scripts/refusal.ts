/** Why nothing was changed, by codes that stay the same. Each is the reason of one line on standard error. */
export type RefusalCode =
  | "usage"
  | "no-released-document"
  | "bad-url"
  | "insecure-url"
  | "bad-key"
  | "unreadable-file"
  | "redirect"
  | "content-type"
  | "too-large"
  | "not-utf-8"
  | "not-json"
  | "duplicate-key"
  | "proto-key"
  | "too-deep"
  | "number-range"
  | "not-unicode"
  | "not-openapi"
  | "malformed"
  | "unsafe-name"
  | "outside-reference"
  | "dangling-reference"
  | "circular-reference"
  | "too-complex"
  | "duplicate-path"
  | "missing-operation"
  | "missing-body"
  | "missing-answer"
  | "operations-lost"
  | "does-not-compile";

/** Why a pull brought nothing. */
const networkCodes = ["unreachable", "http-status", "broken-off", "too-slow"] as const;

export type NetworkCode = (typeof networkCodes)[number];

/** Thrown where a document cannot be taken in, before anything was changed. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode | NetworkCode,
    message: string,
  ) {
    super(message);
  }
}

/** The refusal of a document, for a reason that follows "Failed to accept the document: ". */
export function unacceptable(code: RefusalCode, reason: string): Refusal {
  return new Refusal(
    code,
    `Failed to accept the document: ${reason}. Please correct it or give the right one.`,
  );
}

/** The exit code for what stopped the command: 2 refused, 3 network, 4 internal. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof Refusal)) return 4;
  return networkCodes.some((code) => code === error.code) ? 3 : 2;
}

/** Text of a document as it may stand in a message: on one line, and not for ever. */
export function quoted(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return JSON.stringify(short).replace(/[^\x20-\x7e…]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
