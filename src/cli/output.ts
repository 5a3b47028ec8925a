/**
 * Keeps the command alive when the reader of its output leaves (`| head`): it may be waiting for a set that was paid
 * for. Other failures reach whoever wrote.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/** Resolves once standard output has taken the text, or nobody reads it any longer. */
export function printResult(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") reject(error);
      else resolve();
    });
  });
}

/** A line for people. */
export function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Characters that a terminal may act on instead of showing them: control characters, which begin its commands, and
 * those that change the direction of writing. Tabs and line ends are not among them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const unprintable = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text from the service, escaped so that a terminal only shows it. Lines stay lines. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unprintable, escaped);
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.trim().replace(/\s*[\r\n]+\s*/g, " "));
}

/** JSON for people and programs. The characters that JSON leaves raw are escaped its own way, so it reads the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(unprintable, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A text as one word of a shell. Text that a terminal would not show takes the `$'…'` of bash, zsh and POSIX 2024. */
export function shellQuoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (printable(text) === text && !/[\n\t]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte > 0x1f && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `$'${bytes.join("")}'`;
}
