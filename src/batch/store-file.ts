import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigurationError } from "../errors/errors.js";
import { FileLock } from "./file-lock.js";
import { unless } from "./unless.js";

/** The first field of each file, so that no other JSON file is taken for a store and overwritten. */
const format = "screenshot-sets batch 1";

/** A file of a store, while this process uses it. */
export class StoreFile {
  readonly path: string;
  #lock: Promise<FileLock> | undefined;
  /** Whether a batch has the file for itself. */
  #isOpen = false;
  /** The JSON text of each value in the file; known while a batch has it. */
  #texts: Map<string, string> | undefined;
  /** What the next write adds. */
  #changes = new Map<string, string>();
  #nextWrite: Promise<void> | undefined;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  /** Takes the file for a batch. */
  async open(): Promise<void> {
    if (this.#isOpen)
      throw new ConfigurationError(`${this.path} is in use by another batch of this process.`);
    this.#isOpen = true;
    try {
      this.#texts = await this.#read();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    this.#isOpen = false;
    this.#texts = undefined;
    const lock = await this.#lock?.catch(() => undefined);
    this.#lock = undefined;
    await lock?.release();
  }

  async load(key: string): Promise<unknown> {
    const text = (this.#texts ?? (await this.#read())).get(key);
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

  async #read(): Promise<Map<string, string>> {
    this.#lock ??= FileLock.take(this.path);
    // A lock that could not be had is tried again by the next call.
    await this.#lock.catch((error) => {
      this.#lock = undefined;
      throw error;
    });
    return textsIn(this.path, await readFile(this.path, "utf8").catch(unless("ENOENT")));
  }

  async #write(): Promise<void> {
    const changes = this.#changes;
    this.#changes = new Map();
    const texts = new Map(this.#texts ?? (await this.#read()));
    for (const [key, text] of changes) {
      if (text === "null") texts.delete(key);
      else texts.set(key, text);
    }
    await (await this.#lock)?.check();
    await replace(this.path, textOf(texts));
    if (this.#texts) this.#texts = texts;
  }
}

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
