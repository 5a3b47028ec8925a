import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { PaidJob, SetStore } from "../durable/set-store.js";
import { ConfigurationError } from "../errors/errors.js";
import { FileLock } from "./file-lock.js";
import { type Change, Journal } from "./journal.js";
import { ignore, wrapError } from "./system-reason.js";

/** A store in one file. */
export interface FileStore extends SetStore {
  load(key: string): Promise<unknown>;
  save(key: string, next: unknown, previous: unknown): Promise<boolean>;
  list(): AsyncGenerator<[string, unknown], void, void>;
  open(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  otherJobs(): Promise<PaidJob[]>;
}

/**
 * Keeps sets in one file, which grows by a line of JSON a save. A crash leaves what was saved last.
 *
 * One process at a time uses a file, from its first `load`, `list` or `open` until `close()`, or the end of its batch. Its
 * lock, beside the file, shows each second that it lives; that of a process that has died is taken over after 15 seconds,
 * wherever it ran. A process that was suspended for so long saves only what it had begun, where nobody went on with it.
 *
 * @param path the file, which need not exist yet; its folder must. It may be a link
 * @returns a store that rejects with a `ConfigurationError` while another living process uses the file, for a file that
 *   it did not write, and once the file or the lock was taken away; and with an error with the system's `code` where the
 *   file cannot be written
 */
export function fileStore(path: string): FileStore {
  return storeIn(path);
}

/** @param onWait called when the lock's holder may be dead, for which `open` waits up to 15 seconds */
export function storeIn(path: string, onWait: () => void = () => {}): FileStore {
  const absolute = resolve(path);
  let known: StoreFile | undefined;
  const file = async () => {
    if (known) return known;
    const real = await realPath(absolute).catch(wrapError(path));
    known ??= files.get(real) ?? new StoreFile(absolute, real, onWait);
    files.set(real, known);
    return known;
  };
  return {
    load: async (key) => (await file()).load(key),
    save: async (key, next, previous) => (await file()).save(key, next, textOf(previous)),
    async *list() {
      yield* await (await file()).list();
    },
    otherJobs: async () => (await file()).otherJobs(),
    open: async (signal) => (await file()).open(signal),
    close: async () => {
      const used = known;
      known = undefined;
      await used?.close();
    },
  };
}

/** The one name of a file that may have several by links, and may not exist yet. */
export async function realPath(path: string): Promise<string> {
  const real = await realpath(path).catch(ignore("ENOENT"));
  if (real !== undefined) return real;
  const target = await readlink(path).catch(ignore("ENOENT", "EINVAL"));
  if (target !== undefined) return realPath(resolve(dirname(path), target));
  return join(await realpath(dirname(path)), basename(path));
}

/** The files that this process has used, by their real names. */
const files = new Map<string, StoreFile>();

const textOf = (value: unknown) => JSON.stringify(value ?? null);

/** A file that this process uses. */
class StoreFile {
  /** From the first use until the end. */
  #used: Promise<{ lock: FileLock; journal: Journal }> | undefined;
  /** Whether a batch has the file for itself. */
  #isOpen = false;
  /** What the next write adds, by keys. */
  #changes = new Map<string, Change>();
  #nextWrite: Promise<Set<string>> | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly real: string,
    private readonly onWait: () => void,
  ) {}

  async open(signal?: AbortSignal): Promise<void> {
    if (this.#isOpen)
      throw new ConfigurationError(`${this.path} is in use by another batch of this process.`);
    this.#isOpen = true;
    await this.#use(signal).catch((error) => {
      this.#isOpen = false;
      throw error;
    });
  }

  async close(): Promise<void> {
    await this.#nextWrite?.catch(() => {});
    await this.#lastWrite;
    this.#isOpen = false;
    const used = await this.#used?.catch(() => undefined);
    this.#used = undefined;
    await used?.journal.close();
    await used?.lock.release();
  }

  async load(key: string): Promise<unknown> {
    const { journal } = await this.#use();
    return journal.load(key);
  }

  async list(): Promise<[string, unknown][]> {
    const { journal } = await this.#use();
    return journal.values();
  }

  async otherJobs(): Promise<PaidJob[]> {
    const { journal } = await this.#use();
    return journal.otherJobs();
  }

  /** Saves that come during a write go into the next one together. It has one line a key, so a second save of a key waits. */
  async save(key: string, value: unknown, previous: string): Promise<boolean> {
    const next = textOf(value);
    while (this.#changes.has(key)) await this.#nextWrite?.catch(() => {});
    this.#changes.set(key, { value, next, previous });
    this.#nextWrite ??= this.#lastWrite.then(() => {
      this.#nextWrite = undefined;
      const written = this.#write();
      this.#lastWrite = written.catch(() => {});
      return written;
    });
    return (await this.#nextWrite).has(key);
  }

  #use(signal?: AbortSignal) {
    this.#used ??= this.#taken(signal).catch((error) => {
      this.#used = undefined;
      throw error;
    });
    return this.#used;
  }

  /** Locks the file and reads it. */
  async #taken(signal?: AbortSignal) {
    const lock = await FileLock.take(this.real, this.onWait, signal);
    try {
      return { lock, journal: await Journal.open(this.path) };
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Returns the keys whose change was stored. */
  async #write(): Promise<Set<string>> {
    const changes = this.#changes;
    this.#changes = new Map();
    const { lock, journal } = await this.#use();

    await Promise.all([lock.look(), journal.look()]).catch(wrapError(this.path));
    // What this process began it may end, such as a set that was accepted: it counts where nobody went on meanwhile.
    if (lock.lost ?? journal.lost) {
      for (const key of changes.keys()) if (!journal.hasBegun(key)) changes.delete(key);
    }
    const stored = await journal.append(changes).catch(wrapError(this.path));

    // Who lost the file meanwhile, as a process does that was suspended, must not act on what it wrote.
    await lock.look().catch(wrapError(this.path));
    const lost = lock.lost ?? journal.lost;
    if (lost) throw new ConfigurationError(`${lost}. Nothing more is sent.`);
    return stored;
  }
}
