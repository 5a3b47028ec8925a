import ts from "typescript";
import { hoistReferences } from "../openapi/hoist-references.js";
import { canonicalJson, isObject, type JsonObject } from "../openapi/json.js";
import { withSuccesses } from "../openapi/operations.js";
import { splitPaths, withCanonicalPaths } from "../openapi/paths.js";
import { quoted, Refusal, visible } from "../refusal.js";
import { vetOutside, vetStructure, vetValues } from "./vet-document.js";
import { vetOperations } from "./vet-operations.js";

/**
 * Parses and checks a document, whose keys get canonical order.
 *
 * @throws Refusal when the SDK cannot be generated from it
 */
export function parseDocument(text: string): JsonObject {
  const document = parseStrictJson(text);
  if (!isObject(document)) throw new Refusal("not-openapi", "it is not a JSON object");
  if (typeof document.openapi !== "string" || !/^3\.[0-2]\.\d+/.test(document.openapi)) {
    throw new Refusal("not-openapi", "it is not OpenAPI 3.0, 3.1 or 3.2");
  }
  vetOutside(document);
  const { own, further } = splitPaths(document);
  vetValues(document, own.paths);
  const hoisted = hoistReferences(own, document);
  vetStructure(hoisted);
  vetOperations(withSuccesses(withCanonicalPaths(hoisted)), further);
  return JSON.parse(canonicalJson(document)) as JsonObject;
}

/** The text that the document has in the repository. */
export const documentText = (document: JsonObject): string => visible(`${canonicalJson(document)}\n`);

/** The maximum nesting depth of a document. The generator is recursive. */
const maxDepth = 100;

/** Parses JSON, in which two equal keys, of which each reader keeps another, and `__proto__` are refused. */
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
    if (kind !== ts.SyntaxKind.StringLiteral) nest(before, open);
    else if (isKey) vetKey(getTokenValue(), open.at(-1));
  }
}

function nest(token: string, open: (Set<string> | undefined)[]): void {
  if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
  if (token === "}" || token === "]") open.pop();
  if (open.length > maxDepth) throw new Refusal("too-deep", `it nests deeper than ${maxDepth} levels`);
}

/** `keys`: the previous keys of the object; undefined if this is the item of an array and no key. */
function vetKey(key: string, keys: Set<string> | undefined): void {
  if (keys && key === "__proto__") throw new Refusal("proto-key", "it holds a key `__proto__`");
  if (keys?.has(key)) throw new Refusal("duplicate-key", `it has the key ${quoted(key)} twice`);
  keys?.add(key);
}
