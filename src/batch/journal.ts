import { constants, fstatSync, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isSame } from "../durable/is-same.js";
import type { PaidJob } from "../durable/set-store.js";
import { JournalLines, type Line, lineStart } from "./journal-lines.js";
import { KeyHistory, none } from "./key-history.js";
import { ignore, wrapError } from "./system-reason.js";

/** How much of a file is read at once, in bytes. */
const pieceLength = 2 ** 20;

/** A new value of a key, to be stored in place of the previous one. */
export interface Change {
  value: unknown;
  /** The JSON texts of both. */
  next: string;
  previous: string;
}

/**
 * A file that grows by a line for each value that is saved. The lines of a key are numbered, and a line counts only if it
 * follows the last one that counted. So the late line of a process that was suspended, while another one went on, changes
 * nothing. Nothing is ever cut away: what a crash or a full disk left of a line is passed over.
 */
export class Journal {
  /** Why the file is not this process's own any more, as was last seen. */
  lost: string | undefined;
  readonly #lines: JournalLines;
  readonly #histories = new Map<string, KeyHistory>();
  /** The lines that this process failed to write, or wrote beside others, and has not read since. */
  readonly #unread = new Set<string>();
  /** The keys that this process has changed and not restored, with what was there before and what it stored. */
  readonly #begun = new Map<string, { found: string; text: string }>();
  #file: FileHandle | undefined;

  private constructor(private readonly path: string) {
    this.#lines = new JournalLines(path, (line) => this.#take(line, this.#unread.delete(line.text)));
  }

  /**
   * Opens a file, if it is there: it is created with the first value.
   *
   * @throws {ConfigurationError} for a file that is no journal, or is broken
   */
  static async open(path: string, flags = constants.O_RDWR | constants.O_APPEND): Promise<Journal> {
    const journal = new Journal(path);
    journal.#file = await open(path, flags).catch(ignore("ENOENT")).catch(wrapError(path));
    try {
      if (journal.#file) await journal.#readOn(journal.#file).catch(wrapError(path));
      if (journal.#lines.broken) throw journal.#lines.broken;
      journal.lost = undefined;
      return journal;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /** Reads a file, and never changes it. */
  static async read(path: string): Promise<Journal> {
    const journal = await Journal.open(path, constants.O_RDONLY);
    await journal.close();
    return journal;
  }

  load(key: string): unknown {
    const { text } = this.#historyOf(key);
    return text === none ? undefined : JSON.parse(text);
  }

  values(): [key: string, value: unknown][] {
    const texts = [...this.#histories].map(([key, { text }]): [string, string] => [key, text]);
    return texts.filter(([, text]) => text !== none).map(([key, text]) => [key, JSON.parse(text)]);
  }

  /** The jobs that lines name, and what is stored under their keys does not. */
  otherJobs(): PaidJob[] {
    return [...this.#histories.values()].flatMap(({ otherJobs }) => otherJobs);
  }

  /** Whether what is stored under a key is something that this process began. */
  hasBegun(key: string): boolean {
    return this.#begun.get(key)?.text === this.#historyOf(key).text;
  }

  /** Looks where the file is, and reads what others wrote. */
  async look(): Promise<void> {
    if (!this.#file) return;
    const named = await stat(this.path).catch(ignore("ENOENT", "ENOTDIR"));
    const own = await this.#readOn(this.#file);
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
    const lines: Line[] = [];
    for (const [key, { value, next, previous }] of changes) {
      const { n, text: stored } = this.#historyOf(key);
      if (stored !== previous && !isSame(JSON.parse(stored), JSON.parse(previous))) continue;
      const text = `{"key":${JSON.stringify(key)},"n":${n + 1},"value":${next}}`;
      lines.push({ key, n: n + 1, value, json: next, text });
    }
    if (lines.length > 0) await this.#write(lines);
    return new Set(lines.map(({ key }) => key));
  }

  /** Everything was synced before. */
  async close(): Promise<void> {
    await this.#file?.close().catch(() => {});
  }

  async #write(lines: readonly Line[]): Promise<void> {
    this.#file ??= await create(this.path);
    const file = this.#file;
    const texts = lines.map(({ text }) => `${lineStart}${text}\n`);
    const bytes = Buffer.from(this.#lines.beforeNext + texts.join(""));
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } finally {
      if (fstatSync(file.fd).size === this.#lines.size + bytes.length) {
        this.#lines.passOver(bytes.length);
        for (const line of lines) this.#take(line, true);
      } else {
        for (const { text } of lines) this.#unread.add(text);
        await this.#readOn(file);
      }
    }
  }

  /** Reads what was written since the last look, in pieces: a file may be longer than the longest string. */
  async #readOn(file: FileHandle): Promise<Stats> {
    const lines = this.#lines;
    // The system has the answer at hand; a promise of it would cost many times as much.
    const stats = fstatSync(file.fd);
    const { size } = stats;
    while (lines.size < size && !lines.broken) {
      const piece = await readAt(file, lines.size, Math.min(size - lines.size, pieceLength));
      if (piece.length === 0) break;
      lines.read(piece);
    }
    lines.readLast();
    if (size < lines.size || lines.broken) this.#lose();
    return stats;
  }

  /** Returns whether no line before this one is missing. */
  #take({ key, n, value, json }: Line, isOwn: boolean): boolean {
    const history = this.#historyOf(key);
    const { text: before } = history;
    if (n > history.n + 1) return false;
    this.#histories.set(key, history);
    if (!history.add(n, value, json)) return true;
    const { found } = this.#begun.get(key) ?? { found: before };
    const { text } = history;
    if (text === found) this.#begun.delete(key);
    else if (isOwn) this.#begun.set(key, { found, text });
    if (!isOwn) this.#lose();
    return true;
  }

  #lose(): void {
    this.lost ??= `${this.path} was written to by something else`;
  }

  #historyOf(key: string): KeyHistory {
    return this.#histories.get(key) ?? new KeyHistory(key);
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
