/**
 * Characters that a terminal may interpret instead of showing: control characters, which start its commands, and
 * characters that change the text direction. Tabs and line feeds are not included.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const unprintable = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes a text as JSON does, so that a terminal only shows it. Line breaks are kept. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unprintable, escaped);
}

/** Like `printable`, for a name or an id, in which a line break is as odd as any other. */
export function printableWord(text: string): string {
  return text.replace(/[\t\r\n]/g, escaped).replace(unprintable, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
