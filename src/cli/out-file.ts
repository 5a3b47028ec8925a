import { constants } from "node:fs";
import { type FileHandle, open, realpath, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { realPath } from "../batch/file-store.js";
import { systemReason } from "../batch/system-reason.js";
import { abortable } from "../time/abortable.js";
import { onAbort } from "../time/on-abort.js";
import { UsageError } from "./command.js";
import { printResult } from "./output.js";

/** Where a command writes its result: standard output, or a file that is emptied by the first text. */
export class Destination {
  #file: FileHandle | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** The first write that failed. */
  #failure: { error: unknown } | undefined;

  /** @param path undefined for standard output */
  private constructor(readonly path: string | undefined) {}

  /**
   * @param out a dash stands for standard output, as in most command lines
   * @throws {UsageError} when the file cannot be written
   */
  static async of(out: string | undefined): Promise<Destination> {
    const file = fileOf(out);
    try {
      if (file !== undefined) await checkWritable(file);
    } catch (error) {
      throw new UsageError(`Cannot write to --out ${file}: ${systemReason(error)}.`);
    }
    return new Destination(file);
  }

  /** Appends a text, after those before it. An interrupt ends a write that could otherwise last forever. */
  write(text: string, signal: AbortSignal): Promise<void> {
    const { path } = this;
    // Standard output is written at once, since a terminal has lines below it that change.
    if (path === undefined) this.#last = Promise.all([this.#last, printResult(text)]);
    else
      this.#last = this.#last.then(async () => {
        this.#file ??= await opened(path, signal);
        await this.#file.writeFile(text);
      });
    this.#last
      .catch((error: unknown) => {
        this.#failure ??= { error };
        // Node warns of a file that is left to the garbage collector. That it cannot be closed is told by `close`.
        return this.#file?.close();
      })
      .catch(() => {});
    return unlessInterrupted(this.#last, signal);
  }

  /** Resolves when all is written, or nobody reads it and an interrupt comes; rejects with what kept it from that. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.path !== undefined) await this.#last.finally(() => this.#file?.close());
    else if (!signal.aborted) await unlessInterrupted(this.#last, signal);
    if (this.#failure) throw this.#failure.error;
  }
}

const fileOf = (out: string | undefined) => (out === "-" ? undefined : out);

/** Settles with the write, or rejects if an interrupt comes first, since a reader may never take the text. */
function unlessInterrupted(write: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return abortable(signal, (resolve, reject) => {
    write.then(() => resolve(), reject);
    return undefined;
  });
}

/** Opens a file for writing. An interrupt ends that for a pipe that nobody reads, which would keep the process alive. */
async function opened(file: string, signal: AbortSignal): Promise<FileHandle> {
  const letGo = async () => {
    const reader = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
    await reader?.close();
  };
  const forget = onAbort(signal, () => void letGo());
  const opening = open(file, "w").finally(forget);
  if (signal.aborted) void letGo();
  return opening;
}

/** Opens a file for writing, and leaves it as it was. */
async function checkWritable(file: string): Promise<void> {
  if (file === "") throw new Error("its name is empty");
  const found = await stat(file).catch(() => undefined);
  // A pipe could be opened only once somebody reads it.
  if (found?.isFIFO()) return;
  await (await open(file, "a")).close();
  if (!found) await rm(await realpath(file));
}

/**
 * Where the state is kept unless it is told.
 *
 * @throws {UsageError} for a pipe or a device, beside which nothing can be kept
 */
export async function stateBeside(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  const isPipe = found && !found.isFile() && !found.isDirectory();
  // `/dev/stdin` may be a file, whose own name is not known.
  if (!isPipe && !/^\/(dev|proc)\//.test(resolve(file))) return `${file}.state.json`;
  throw new UsageError("Expected --state FILE: what was paid for can't be kept beside a pipe or a device.");
}

/**
 * Refuses a command that would write over what it reads, or over the record of what it paid for.
 *
 * @throws {UsageError} if two of its files are one, by whatever name
 */
export async function refuseSameFiles(files: {
  file?: string | undefined;
  state: string | undefined;
  out: string | undefined;
}): Promise<void> {
  const { file, state, out } = files;
  const lock = state === undefined ? undefined : `${await realName(state)}.lock`;
  const names = { FILE: file, "--state": state, "the lock of --state": lock, "--out": fileOf(out) };
  const seen = new Map<string, string>();
  for (const [name, path] of Object.entries(names)) {
    if (path === undefined) continue;
    const found = await stat(path).catch(() => undefined);
    const identity = found ? `${found.dev}:${found.ino}` : await realName(path);
    const other = seen.get(identity);
    if (other !== undefined) throw new UsageError(`Expected ${other} and ${name} to be two files.`);
    seen.set(identity, name);
  }
}

/** The real name of a file. If it has none, what opens it tells why. */
function realName(path: string): Promise<string> {
  return realPath(resolve(path)).catch(() => path);
}
