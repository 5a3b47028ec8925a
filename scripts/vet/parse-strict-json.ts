import ts from "typescript";
import { quoted, Refusal } from "../refusal.js";

/** The maximum nesting depth of a document. The generator is recursive. */
const maxDepth = 100;

/**
 * Parses a JSON text strictly. `JSON.parse` silently keeps the last of two equal keys, so two readers of a document may
 * see different documents. This refuses duplicate keys, and values that would not survive being written again.
 *
 * @throws Refusal when the text is not JSON, has a key twice or a value out of range.
 */
export function parseStrictJson(text: string): unknown {
  const value = parse(text);
  vetTokens(text);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message repeats the text, which may be a page of HTML.
    throw new Refusal("not-json", "it is not JSON");
  }
}

/** Checks each token of a JSON text. The compiler's scanner can read it, because JSON is JavaScript. */
function vetTokens(text: string): void {
  const { scan, getTokenText, getTokenValue } = ts.createScanner(ts.ScriptTarget.JSON, true, undefined, text);
  /** The keys of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let before = "";
  for (let kind = scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scan()) {
    const isKey = before === "{" || before === ",";
    before = getTokenText();
    if (kind === ts.SyntaxKind.StringLiteral) vetText(getTokenValue(), isKey ? open.at(-1) : undefined);
    else if (/\d/.test(before)) vetNumber(Number(before));
    else nest(before, open);
  }
}

function nest(token: string, open: (Set<string> | undefined)[]): void {
  if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
  if (token === "}" || token === "]") open.pop();
  if (open.length > maxDepth) throw new Refusal("too-deep", `it nests deeper than ${maxDepth} levels`);
}

/** `keys`: if the text is a key, the previous keys of its object. */
function vetText(text: string, keys: Set<string> | undefined): void {
  if (/\p{Surrogate}/u.test(text)) throw new Refusal("not-unicode", "it holds half of a surrogate pair");
  if (keys && text === "__proto__") throw new Refusal("proto-key", "it holds a key `__proto__`");
  if (keys?.has(text)) throw new Refusal("duplicate-key", `it has the key ${quoted(text)} twice`);
  keys?.add(text);
}

function vetNumber(value: number): void {
  if (!Number.isFinite(value)) throw new Refusal("number-range", "it holds a number that is out of range");
}
