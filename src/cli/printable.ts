/**
 * What could make a terminal do something instead of showing it: control characters, which begin its commands, and
 * those that turn the direction of writing. Tabs and line ends are left out.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text of the service's, such that a terminal shows it and does nothing else. Lines stay lines. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unprintable, escaped);
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.trim().replace(/\s*[\r\n]+\s*/g, " "));
}

/** JSON for people and programs. What JSON itself leaves raw is escaped as JSON can, so it means the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(unprintable, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Whether a text can be shown as it is. */
export function isPrintable(text: string): boolean {
  return text.search(unprintable) === -1;
}
