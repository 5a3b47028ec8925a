/** A name or a value of the document with all but plain characters replaced, for text that people read. */
export function plain(text: string): string {
  return text.slice(0, 100).replace(/[^\w/{}.~:@%+$[\]-]/g, "?");
}

/** A name or a value of the document, as code. */
export function label(value: unknown): string {
  return `\`${plain(typeof value === "string" ? value : JSON.stringify(value))}\``;
}
