/**
 * What compiles in JavaScript and means something else in the language that wrote it: POSIX's names of classes in Java,
 * the ends of words in POSIX, vertical space in Java and PCRE, a class that begins with its own end, classes that are
 * subtracted or intersected, and a pattern between slashes. Flags inside a pattern and names given twice compile only in
 * newer versions of JavaScript.
 */
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
 * A pattern as a regular expression, or undefined if it does not surely mean the same in JavaScript. JSON Schema asks for
 * JavaScript's patterns with the flag `u`, but documents hold those of Ruby, Python, Java, .NET, Go and POSIX. Most of what
 * those have besides does not compile with that flag, which also allows no needless escape, so these are taken away.
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
