/** What means something else in the language that wrote it, or compiles only in newer versions of JavaScript. */
const foreign = [
  /\\p\{(?:Lower|Upper|Alpha|Space)\}/i,
  /(?<!\\)(?:\\\\)*\\[<>`'v]/,
  /(?<!\\)\[\^?\]/,
  /^\/.*\/[a-z]*$/s,
  /\(\?(?:\)|[a-z]+(?:-[a-z]*)?[:)]|-[a-z]*[:)])/,
];

/** Subtracts and intersects classes of characters in other languages. */
const operators = ["&&", "--", "~~", "||"];

/**
 * A pattern as a regular expression, if it surely means the same in JavaScript. JSON Schema asks for its patterns with the flag
 * `u`, with which most of Ruby, Python, Java, .NET, Go and POSIX does not compile, and no needless escape, which goes.
 */
export function expressionOf(pattern: unknown): RegExp | undefined {
  if (typeof pattern !== "string" || foreign.some((form) => form.test(pattern))) return undefined;
  const names = Array.from(pattern.matchAll(/\(\?<(\w+)>/g), ([, name]) => name);
  let isForeign = names.length > new Set(names).size;
  let isInClass = false;
  const plain = pattern.replace(/\\([^A-Za-z\d])|[[\]]|&&|--|~~|\|\|/g, (part, character?: string) => {
    if (operators.includes(part)) isForeign ||= isInClass;
    else if (character === undefined) isInClass = part === "[";
    const hasMeaning = `^$\\.*+?()[]{}|/${isInClass ? "-" : ""}`.includes(character ?? "");
    return hasMeaning ? part : String(character);
  });
  // Elsewhere these also mean letters and digits beyond ASCII, so only the service can say whether such a text is right.
  if (isForeign) return undefined;
  const isOfWords = /\\[wdsb]/i.test(plain);
  try {
    new RegExp(plain, "u");
    return new RegExp(isOfWords ? `\\P{ASCII}|${plain}` : plain, "u");
  } catch {
    return undefined;
  }
}
