import { isPrintable } from "./printable.js";

/** A text as one word of a shell. What a terminal would not show as it is takes the `$'…'` of bash, zsh and POSIX 2024. */
export function shellQuoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (isPrintable(text) && !/[\n\t]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte > 0x1f && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `$'${bytes.join("")}'`;
}
