import { quoted, Refusal } from "../refusal.js";

/** How deep a document may nest; what is generated from it is made by recursion. */
const deepest = 100;

/**
 * The value of a JSON text. `JSON.parse` keeps the last of two equal keys without a word, so that two readers of one
 * document may see two documents; here they are refused, and so is what would not come out as it went in.
 *
 * @throws Refusal when the text is not JSON, or says something twice or out of range.
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

/** Looks at each token of a text that is JSON. */
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
  if (open.length > deepest) throw new Refusal("too-deep", `it nests deeper than ${deepest} levels`);
}

/** The tokens of a text that is JSON, but for `true`, `false` and `null`. */
function* tokens(text: string): Generator<string> {
  const start = /["{}[\]:,]|-?\d[\d.eE+-]*/g;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    if (match[0] === '"') {
      // Not by the expression: one for strings runs out of stack where they are megabytes long.
      start.lastIndex = endOfString(text, match.index);
      yield text.slice(match.index, start.lastIndex);
    } else {
      yield match[0];
    }
  }
}

/** Where the string that begins at `start` ends, its quotes included. */
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

/** `keys`: those of the object that the text is a key of. */
function vetText(text: string, keys: Set<string> | undefined): void {
  if (/\p{Surrogate}/u.test(text)) throw new Refusal("not-unicode", "it holds half of a surrogate pair");
  if (keys && text === "__proto__") throw new Refusal("proto-key", "it holds a key `__proto__`");
  if (keys?.has(text)) throw new Refusal("duplicate-key", `it has the key ${quoted(text)} twice`);
  keys?.add(text);
}

function vetNumber(value: number): void {
  if (!Number.isFinite(value)) throw new Refusal("number-range", "it holds a number that is out of range");
}
