type Refused = readonly [what: string, advice: string];

const accept: Refused = ["accept the document", "correct it or give the right one"];
const pull: Refused = ["pull the document", "check the URL and try again"];

/** What was refused, by codes that stay the same, and what to do about it. */
const refusals = {
  usage: ["read the command line", "give --from URL_OR_FILE, --check or nothing"],
  "no-released-document": ["rate the changes", "restore it from the last release"],
  "bad-url": ["read --from", "give the service's base URL, the URL of a document or a file"],
  "insecure-url": ["pull the document", "use https"],
  "bad-key": ["read SCREENSHOT_SETS_API_KEY", "correct it"],
  "unreadable-file": ["read the document", "give the file of a document"],
  redirect: pull,
  "content-type": pull,
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
  "number-range": accept,
  "not-unicode": accept,
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
  "operations-lost": accept,
  "does-not-compile": ["compile the SDK", "correct the document or what is made of it"],
} satisfies Record<string, Refused>;

type RefusalCode = keyof typeof refusals;

/** Thrown where a document cannot be taken in, before anything was changed. Its message is one line. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    reason: string,
  ) {
    const [what, advice] = refusals[code];
    super(`Failed to ${what}: ${reason}. Please ${advice}.`);
  }
}

const networkCodes: RefusalCode[] = ["unreachable", "http-status", "broken-off", "too-slow"];

/** The exit code for what stopped the command: 2 refused, 3 network, 4 internal. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof Refusal)) return 4;
  return networkCodes.includes(error.code) ? 3 : 2;
}

/** Text of a document as it may stand in a message: on one line, and not for ever. */
export function quoted(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return JSON.stringify(short).replace(/[^\x20-\x7e…]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
