import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isSame } from "../durable/is-same.js";
import { ConfigurationError } from "../errors/errors.js";
import { ignore, wrapError } from "./system-reason.js";

/** The first line of each file names the format, so that no other file is taken for a journal and written to. */
const format = "screenshot-sets batch";
const version = 2;
const firstLine = JSON.stringify({ format: `${format} ${version}` });

/**
 * Begins each further line. JSON has no tab that is not escaped, so what stands before the last tab of a line is what a
 * crash left of another one.
 */
const lineStart = "\t";

/** The JSON text of no value. */
const none = "null";

/** A new value of a key, to be stored in place of the previous one. Both are JSON texts. */
export interface Change {
  next: string;
  previous: string;
}

/** A line of a journal. */
interface Entry {
  key: string;
  /** The number of the line among those of its key, from 1. */
  n: number;
  /** The JSON text of the value. */
  text: string;
}

/**
 * A file that grows by a line for each value that is saved. The lines of a key are numbered, and a line counts only if it
 * follows the last one that counted. So the late line of a process that was suspended, while another one went on, changes
 * nothing. Nothing is ever cut away: what a crash or a full disk left of a line is passed over.
 */
export class Journal {
  /** Why the file is not this process's own any more, as was last seen. */
  lost: string | undefined;
  /** The line of each key that counted last. */
  readonly #entries = new Map<string, Entry>();
  /** How much was read, in bytes: whole lines. */
  #size = 0;
  /** The lines that this process wrote, or failed to write, and has not read since. */
  readonly #unread = new Map<string, Entry>();
  /** What this process stored under a key, and what it found there. What was put back is not begun. */
  readonly #begun = new Map<string, { found: string; text: string }>();
  #file: FileHandle | undefined;

  private constructor(private readonly path: string) {}

  /**
   * Opens a file, if it is there: it is created with the first value.
   *
   * @throws {ConfigurationError} for a file that is no journal, or is broken
   */
  static async open(path: string): Promise<Journal> {
    const journal = new Journal(path);
    const { O_RDWR, O_APPEND } = constants;
    journal.#file = await open(path, O_RDWR | O_APPEND)
      .catch(ignore("ENOENT"))
      .catch(wrapError(path));
    try {
      journal.#read(await journal.#file?.readFile());
      return journal;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /** Reads the values of a file, and changes nothing. */
  static async valuesIn(path: string): Promise<Map<string, unknown>> {
    const journal = new Journal(path);
    journal.#read(await readFile(path).catch(ignore("ENOENT")).catch(wrapError(path)));
    return new Map(journal.values());
  }

  load(key: string): unknown {
    const { text } = this.#lastOf(key);
    return text === none ? undefined : JSON.parse(text);
  }

  values(): [key: string, value: unknown][] {
    const stored = [...this.#entries.values()].filter(({ text }) => text !== none);
    return stored.map(({ key, text }) => [key, JSON.parse(text)]);
  }

  /** Whether what is stored under a key is something that this process began. */
  hasBegun(key: string): boolean {
    return this.#begun.get(key)?.text === this.#lastOf(key).text;
  }

  /** Looks where the file is, and reads what others wrote. */
  async look(): Promise<void> {
    if (!this.#file) return;
    const [own, named] = await Promise.all([
      this.#readOn(this.#file),
      stat(this.path).catch(ignore("ENOENT", "ENOTDIR")),
    ]);
    // On Windows, some versions of Node say of every path that its device is 0.
    const isElsewhere = named && own.dev !== named.dev && own.dev !== 0 && named.dev !== 0;
    if (named?.ino !== own.ino || isElsewhere) this.lost ??= `${this.path} was moved or removed`;
  }

  /**
   * Appends a line for each change of what is stored, and returns the keys of these. The lines are durable when this
   * resolves, and count unless the file is `lost`. When it rejects, they may be in the file all the same; if so, they are
   * found before the next append.
   */
  async append(changes: ReadonlyMap<string, Change>): Promise<Set<string>> {
    const written = new Set<string>();
    let text = this.#size === 0 ? `${firstLine}\n` : "";
    for (const [key, { next, previous }] of changes) {
      const { n, text: stored } = this.#lastOf(key);
      if (stored !== previous && !isSame(JSON.parse(stored), JSON.parse(previous))) continue;
      const entry = { key, n: n + 1, text: next };
      const line = `{"key":${JSON.stringify(key)},"n":${entry.n},"value":${next}}`;
      written.add(key);
      this.#unread.set(line, entry);
      text += `${lineStart}${line}\n`;
    }
    if (written.size > 0) await this.#write(Buffer.from(text));
    return written;
  }

  /** Everything was synced before. */
  async close(): Promise<void> {
    await this.#file?.close().catch(() => {});
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#file ??= await create(this.path);
    const file = this.#file;
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } finally {
      await this.#readOn(file, bytes);
    }
  }

  /**
   * Reads what was written since the last look.
   *
   * @param expected what that is, unless others wrote, too
   */
  async #readOn(file: FileHandle, expected: Buffer = Buffer.of()): Promise<Stats> {
    const stats = await file.stat();
    const more = stats.size - this.#size;
    const bytes = more === expected.length ? expected : await readAt(file, this.#size, more);
    try {
      if (more >= 0 && this.#read(bytes)) return stats;
    } catch {
      // Nobody who keeps a journal writes such a line.
    }
    this.lost ??= `${this.path} was written to by something else`;
    return stats;
  }

  /**
   * Reads on, as far as lines are whole. Returns whether all that counts of them is this process's own.
   *
   * @throws {ConfigurationError} for what is not the content of a journal: it may be what is left of a paid batch
   */
  #read(bytes: Buffer = Buffer.of()): boolean {
    const end = bytes.lastIndexOf("\n") + 1;
    const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
    if (this.#size === 0 && bytes.length > 0) checkFirstLine(this.path, lines.shift());

    let isOwn = true;
    for (const [index, line] of lines.entries()) {
      // Two processes may have begun the file, and the second one behind what was left of a line.
      if (line.endsWith(firstLine)) continue;
      const text = line.slice(line.lastIndexOf(lineStart) + 1);
      const own = this.#unread.get(text);
      const entry = own ?? entryOf(text);
      const n = entry ? this.#lastOf(entry.key).n : 0;
      // A line is missing where numbers are.
      if (!entry || entry.n > n + 1) {
        throw unusable(this.path, `is broken in line ${index + 2}`, "restore it");
      }
      this.#unread.delete(text);
      if (entry.n <= n) continue;
      this.#count(entry, own !== undefined);
      isOwn &&= own !== undefined;
    }
    this.#size += end;
    return isOwn;
  }

  #count(entry: Entry, isOwn: boolean): void {
    const { key, text } = entry;
    const { found } = this.#begun.get(key) ?? { found: this.#lastOf(key).text };
    this.#entries.set(key, entry);
    if (text === found) this.#begun.delete(key);
    else if (isOwn) this.#begun.set(key, { found, text });
  }

  #lastOf(key: string): Entry {
    return this.#entries.get(key) ?? { key, n: 0, text: none };
  }
}

function checkFirstLine(path: string, line = ""): void {
  // Some editors begin a file with a byte order mark.
  const { format: found } = Object(parsed(line.replace(/^\uFEFF/, ""))) as { format?: unknown };
  if (found === `${format} ${version}`) return;
  const [, other] = /^screenshot-sets batch (\d+)$/.exec(String(found)) ?? [];
  if (other === undefined) throw unusable(path, "does not begin as a file of `fileStore`", "restore it");
  throw unusable(
    path,
    `has form ${other}, and not form ${version}`,
    "go on with the version of screenshot-sets that wrote it",
  );
}

function entryOf(line: string): Entry | undefined {
  const { key, n, value } = Object(parsed(line)) as { key?: unknown; n?: unknown; value?: unknown };
  const isEntry = typeof key === "string" && typeof n === "number" && n >= 1 && value !== undefined;
  return isEntry ? { key, n, text: JSON.stringify(value) } : undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function create(path: string): Promise<FileHandle> {
  const file = await open(path, "a+");
  // The name of a new file is durable once its folder is. Windows has no way to do that, and needs none.
  const folder = await open(dirname(path), "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close().catch(() => {});
  return file;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(length, 0));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, position);
  return bytes.subarray(0, bytesRead);
}

function unusable(path: string, how: string, advice: string): ConfigurationError {
  return new ConfigurationError(
    `${path} ${how}. Nothing was sent. Sets that it names may be paid for: ${advice}, or compare the account's credits before you remove it.`,
  );
}
