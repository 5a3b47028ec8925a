import { quoted, Refusal } from "../refusal.js";

/** How deep a document may nest: the generator is recursive. */
const maxDepth = 100;

/**
 * The value of a JSON text. `JSON.parse` silently keeps the last of two equal keys, so that two readers of a document
 * may see different documents. This refuses duplicate keys, and values that would not survive being written again.
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

/** Checks each token of a JSON text. */
function vetTokens(text: string): void {
  /** The keys of each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let before = "";
  for (const token of tokens(text)) {
    const isKey = before === "{" || before === ",";
    if (token.startsWith('"')) vetText(JSON.parse(token), isKey ? open.at(-1) : undefined);
    else if (/\d/.test(token)) vetNumber(Number(token));
    else nest(token, open);
    before = token;
  }
}

function nest(token: string, open: (Set<string> | undefined)[]): void {
  if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
  if (token === "}" || token === "]") open.pop();
  if (open.length > maxDepth) throw new Refusal("too-deep", `it nests deeper than ${maxDepth} levels`);
}

/** The tokens of a JSON text, except `true`, `false` and `null`. */
function* tokens(text: string): Generator<string> {
  const start = /["{}[\]:,]|-?\d[\d.eE+-]*/g;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    if (match[0] === '"') {
      // A regular expression for strings runs out of stack when a string is megabytes long.
      start.lastIndex = endOfString(text, match.index);
      yield text.slice(match.index, start.lastIndex);
    } else {
      yield match[0];
    }
  }
}

/** The index after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let quote = start;
  let isEscaped = true;
  while (isEscaped) {
    quote = text.indexOf('"', quote + 1);
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes++;
    isEscaped = backslashes % 2 === 1;
  }
  return quote + 1;
}

/** `keys`: the keys so far of the object that the text is a key of, if it is a key. */
function vetText(text: string, keys: Set<string> | undefined): void {
  if (/\p{Surrogate}/u.test(text)) throw new Refusal("not-unicode", "it holds half of a surrogate pair");
  if (keys && text === "__proto__") throw new Refusal("proto-key", "it holds a key `__proto__`");
  if (keys?.has(text)) throw new Refusal("duplicate-key", `it has the key ${quoted(text)} twice`);
  keys?.add(text);
}

function vetNumber(value: number): void {
  if (!Number.isFinite(value)) throw new Refusal("number-range", "it holds a number that is out of range");
}
