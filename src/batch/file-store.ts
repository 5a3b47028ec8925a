import { realpathSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ConfigurationError } from "../errors/errors.js";
import type { BatchStore } from "./batch-options.js";
import { FileLock, unless } from "./file-lock.js";

/** A store in one JSON file. */
export interface FileStore extends BatchStore {
  load(key: string): Promise<unknown>;
  save(key: string, value: unknown): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The files in use by this process. */
const files = new Map<string, StoreFile>();

/**
 * Keeps the sets of a batch in one JSON file. It is written whole and atomically: a crash leaves what was saved last.
 *
 * One process at a time uses a file, from its first `load` or `save` until the batch or `close()` ends. A lock file
 * beside it says so; that of a dead process is taken over. On another machine nobody can tell whether it died: its lock
 * has to be removed by hand.
 *
 * @param path the file, which need not exist yet; its folder must
 * @returns a store that rejects with a `ConfigurationError` while another living process uses the file, and for a file
 *   that it did not write; and with the system's error where the file cannot be written
 */
export function fileStore(path: string): FileStore {
  const absolute = resolve(path);
  const file = () => {
    const real = realPath(absolute);
    const known = files.get(real) ?? new StoreFile(real);
    files.set(real, known);
    return known;
  };
  return {
    load: async (key) => file().load(key),
    save: async (key, value) => file().save(key, value),
    open: async () => file().open(),
    close: async () => file().close(),
  };
}

/** The one name of a file that may have several, and may not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realpathSync(dirname(path)), basename(path));
  }
}

/** A file that this process uses. */
class StoreFile {
  /** The lock, and the JSON text of each value, from the first use until the end. */
  #content: Promise<{ lock: FileLock; texts: Map<string, string> }> | undefined;
  /** Whether a batch has the file for itself. */
  #isOpen = false;
  /** What the next write adds. */
  #changes = new Map<string, string>();
  #nextWrite: Promise<void> | undefined;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  async open(): Promise<void> {
    if (this.#isOpen)
      throw new ConfigurationError(`${this.path} is in use by another batch of this process.`);
    this.#isOpen = true;
    await this.#use().catch((error) => {
      this.#isOpen = false;
      throw error;
    });
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    this.#isOpen = false;
    const content = await this.#content?.catch(() => undefined);
    this.#content = undefined;
    await content?.lock.release();
    files.delete(this.path);
  }

  async load(key: string): Promise<unknown> {
    const { texts } = await this.#use();
    const text = texts.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Saves that come during a write share the next one. */
  save(key: string, value: unknown): Promise<void> {
    this.#changes.set(key, JSON.stringify(value ?? null));
    this.#nextWrite ??= this.#lastWrite.then(() => {
      this.#nextWrite = undefined;
      const written = this.#write();
      this.#lastWrite = written.catch(() => {});
      return written;
    });
    return this.#nextWrite;
  }

  #use() {
    this.#content ??= taken(this.path).catch((error) => {
      this.#content = undefined;
      throw error;
    });
    return this.#content;
  }

  async #write(): Promise<void> {
    const changes = this.#changes;
    this.#changes = new Map();
    const content = await this.#use();
    const texts = new Map(content.texts);
    for (const [key, text] of changes) {
      if (text === "null") texts.delete(key);
      else texts.set(key, text);
    }
    await content.lock.check();
    await replace(this.path, textOf(texts));
    content.texts = texts;
  }
}

/** Locks and reads a file. */
async function taken(path: string) {
  const lock = await FileLock.take(path);
  try {
    return { lock, texts: textsIn(path, await readFile(path, "utf8").catch(unless("ENOENT"))) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The first field of each file, so that no other JSON file is taken for a store and overwritten. */
const format = "screenshot-sets batch 1";

/** One line for each value. */
function textOf(texts: Map<string, string>): string {
  const lines = [...texts].map(([key, text]) => `${JSON.stringify(key)}: ${text}`);
  return `{"format": ${JSON.stringify(format)}, "values": {\n${lines.join(",\n")}\n}}\n`;
}

/** @throws {ConfigurationError} for a file that `textOf` did not write: it may be what is left of a paid batch */
function textsIn(path: string, text: string | undefined): Map<string, string> {
  if (text === undefined) return new Map();
  let content: { format?: unknown; values?: unknown } | null = null;
  try {
    content = JSON.parse(text);
  } catch {
    // Refused below.
  }
  if (content?.format === format && typeof content.values === "object" && content.values !== null) {
    return new Map(Object.entries(content.values).map(([key, value]) => [key, JSON.stringify(value)]));
  }
  throw new ConfigurationError(
    `${path} is broken, or no file of \`fileStore\`. Nothing was sent. Sets that it names may be paid for: restore it, or compare the account's credits before you remove it.`,
  );
}

/** Writes a file so that a crash at any point leaves the old or the new one, whole. */
async function replace(path: string, text: string): Promise<void> {
  // The lock is held, so nobody else uses this name.
  const temporary = `${path}.tmp`;
  try {
    const file = await open(temporary, "w");
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  // The new name is durable once its folder is. Windows has no way to do that, and needs none.
  const folder = await open(dirname(path), "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
