import { isUtf8 } from "node:buffer";
import { ConfigurationError } from "../errors/errors.js";

/** The first line of each file names the format, so that no other file is taken for a journal and written to. */
const format = "screenshot-sets batch";
const version = 2;
export const firstLine = JSON.stringify({ format: `${format} ${version}` });

/**
 * Begins each further line. JSON has no tab that is not escaped, so a tab parts a line from what a crash, or somebody who
 * put two files together, left before it.
 */
export const lineStart = "\t";
/** Ends a line that has no end yet. Two processes may do so at once, so that is told from an empty line. */
const lineEnd = "\t\n";
const [tab, lineBreak] = [...Buffer.from("\t\n")] as [number, number];

/** A line of a journal. */
export interface Line {
  key: string;
  /** Its number among those of its key, from 1. */
  n: number;
  value: unknown;
  /** The JSON text of the value. */
  json: string;
  /** As the line stands in the file. */
  text: string;
}

/** The lines of a journal, from pieces of any size: a part of a line, or of a character, may lie in another piece. */
export class JournalLines {
  /** Why it can't be read any further. */
  broken: ConfigurationError | undefined;
  /** How much was read, in bytes. */
  size = 0;
  #isBegun = false;
  /** How many lines have ended. */
  #ended = 0;
  /** Whether something of the next one was read. */
  #isOpen = false;
  /** What stands behind that. */
  #rest: Buffer = Buffer.of();

  /** @param take what becomes of a line; false if lines before it are missing */
  constructor(
    private readonly path: string,
    private readonly take: (line: Line) => boolean,
  ) {}

  /** Reads the next piece. */
  read(piece: Buffer): void {
    this.size += piece.length;
    const next = (byte: number, from: number) => {
      const at = piece.indexOf(byte, from);
      return at < 0 ? piece.length : at;
    };
    let [from, tabAt, breakAt] = [0, next(tab, 0), next(lineBreak, 0)];
    while (!this.broken) {
      const at = Math.min(tabAt, breakAt);
      const part = piece.subarray(from, at);
      this.#rest = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
      if (at === piece.length) return;
      this.#end(at === breakAt);
      from = at + 1;
      if (at === tabAt) tabAt = next(tab, from);
      else breakAt = next(lineBreak, from);
    }
  }

  /** Counts whole lines, which were written to the end of the file, as read. */
  passOver(length: number): void {
    this.size += length;
    this.#isBegun = true;
    this.#isOpen = false;
    this.#rest = Buffer.of();
  }

  /**
   * Reads what stands at the end of the file. What reads whole counts there without a line break, which a variable of a
   * shell and some editors lose. Anything else was left by a crash, or is still being written.
   */
  readLast(): void {
    if (this.broken || this.#rest.length === 0 || !this.#readRest()) return;
    this.#rest = Buffer.of();
    this.#isOpen = true;
  }

  /** What a further line is to be written behind. */
  get beforeNext(): string {
    if (this.size === 0) return `${firstLine}\n`;
    return this.#isOpen || this.#rest.length > 0 ? lineEnd : "";
  }

  /** Reads what stands before a tab or a line break. Before a tab may stand what a crash left. */
  #end(isLine: boolean): void {
    const isNothing = this.#isOpen && textOf(this.#rest) === "";
    if (!this.#readRest() && isLine && !isNothing) this.#break();
    this.#rest = Buffer.of();
    this.#isOpen = !isLine;
    if (isLine) this.#ended++;
  }

  /** Returns whether that is a line. */
  #readRest(): boolean {
    const text = textOf(this.#rest);
    if (this.#isBegun) return this.#readText(text);
    this.broken = notBegunBy(this.path, text);
    this.#isBegun = true;
    return true;
  }

  #readText(text: string): boolean {
    // Two files may have been put together, the first of which had no line break at its end.
    if (text.endsWith(firstLine)) {
      this.#readText(text.slice(0, -firstLine.length).trim());
      return true;
    }
    const { format: found, key, n, value } = Object(parsed(text)) as Partial<Line> & { format?: unknown };
    if (found === `${format} ${version}`) return true;
    if (typeof key !== "string" || typeof n !== "number" || n < 1 || value === undefined) return false;
    if (!this.take({ key, n, value, json: JSON.stringify(value), text })) this.#break();
    return true;
  }

  #break(): void {
    this.broken ??= unusable(this.path, `is broken in line ${this.#ended + 1}`, "restore it");
  }
}

/** The text of a line, without what editors put around it, such as a byte order mark; what is no text gives none. */
function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString().trim() : noText;
}

/** Reads as nothing. */
const noText = "\uFFFD";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a file is no journal of this version, if its first line tells so. */
function notBegunBy(path: string, firstText: string): ConfigurationError | undefined {
  const { format: found } = Object(parsed(firstText)) as { format?: unknown };
  if (found === `${format} ${version}`) return undefined;
  const [, other] = /^screenshot-sets batch (\d+)$/.exec(String(found)) ?? [];
  if (other === undefined) return unusable(path, "does not begin as a file of `fileStore`", "restore it");
  const how = `has form ${other}, and not form ${version}`;
  return unusable(path, how, "go on with the version of screenshot-sets that wrote it");
}

function unusable(path: string, how: string, advice: string): ConfigurationError {
  return new ConfigurationError(
    `${path} ${how}. Nothing was sent. Sets that it names may be paid for: ${advice}, or compare the account's credits before you remove it.`,
  );
}
