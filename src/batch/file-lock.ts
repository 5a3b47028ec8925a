import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../errors/errors.js";
import { ignore, wrapError } from "./system-reason.js";

/** How a lock shows that its holder lives, in milliseconds. Tests shorten these times. */
export const lockTimes = {
  /** The time between two beats. */
  beatMs: 1_000,
  /** How often others look for one, and how many looks that see none make a holder dead. */
  lookMs: 250,
  looks: 60,
};

/**
 * A lock, by which one process at a time uses the file beside it. It is a folder with one file, named at random, which
 * its holder writes each second. Others see by these beats whether the holder lives, wherever it runs: names of hosts and
 * numbers of processes are not the same in another container. A dead holder's file is removed by its own name, so nobody
 * ever removes the lock of a living process.
 */
export class FileLock {
  /** Why another process may use the file, as was last seen. */
  lost: string | undefined;
  readonly #path: string;
  readonly #own: string;
  #beats = 0;
  #lastBeat: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor(path: string) {
    this.#path = path;
    this.#own = join(path, randomUUID());
  }

  /**
   * @param onWait called when there is a holder that may be dead
   * @throws {ConfigurationError} while another process holds the lock, and where something else stands in its place
   */
  static async take(file: string, onWait: () => void, signal?: AbortSignal): Promise<FileLock> {
    const path = `${file}.lock`;
    const lock = new FileLock(path);
    try {
      for (;;) {
        await mkdir(path).catch(ignore("EEXIST")).catch(wrapError(path));
        const holders = await holdersIn(path);
        if (holders.length > 0) await removeDead(path, holders, file, onWait, signal);
        else if (await lock.#enter()) return lock;
      }
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Looks whether the lock is still there. */
  async look(): Promise<void> {
    const own = await stat(this.#own).catch(ignore("ENOENT", "ENOTDIR"));
    if (!own) this.lost = `The lock ${this.#path} was removed or taken`;
  }

  /** What can't be removed, as on Windows while a scanner looks into it, does not beat, and so holds nothing. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#lastBeat;
    await rm(this.#own, { force: true }).catch(() => {});
    await rmdir(this.#path).catch(() => {});
  }

  /** Puts the holder's file into the folder; false if somebody else does so at the same time. */
  async #enter(): Promise<boolean> {
    // The folder may have been removed by a holder that let go.
    await writeFile(this.#own, this.#text(), { flag: "wx" })
      .catch(ignore("ENOENT"))
      .catch(wrapError(this.#path));
    const isAlone = (await holdersIn(this.#path)).join() === basename(this.#own);
    if (isAlone) {
      this.#timer = setInterval(() => this.#beat(), lockTimes.beatMs).unref();
    } else {
      await this.release();
      await sleep(Math.random() * lockTimes.lookMs);
    }
    return isAlone;
  }

  #beat(): void {
    this.#lastBeat = this.#lastBeat
      .then(async () => {
        this.#beats++;
        // Never created anew: it is not there any more when the lock is lost.
        const file = await open(this.#own, "r+");
        await file.write(this.#text(), 0).finally(() => file.close());
      })
      .catch(() => {});
  }

  /** For people, who want to know which process it is; for programs, that it changes. */
  #text(): string {
    return `${JSON.stringify({ pid: process.pid, host: hostname(), beats: this.#beats })}\n`;
  }
}

/**
 * The names of the holders' files.
 *
 * @throws {ConfigurationError} for what is no lock: a file, a link, or a folder with another one in it
 */
async function holdersIn(path: string): Promise<string[]> {
  // Another process may remove the folder.
  const found = await lstat(path).catch(ignore("ENOENT")).catch(wrapError(path));
  if (found && !found.isDirectory()) throw inTheWay(path);
  const entries = await readdir(path, { withFileTypes: true }).catch(ignore("ENOENT")).catch(wrapError(path));
  return (entries ?? []).map((entry) => {
    if (!entry.isFile()) throw inTheWay(join(path, entry.name));
    return entry.name;
  });
}

/**
 * Watches the holders of a lock, and removes them if they do not beat. By looks and not by the clock: a machine that
 * slept must not take its own sleep for theirs.
 *
 * @throws {ConfigurationError} if one beats
 * @throws the reason of an abort
 */
async function removeDead(
  path: string,
  holders: string[],
  file: string,
  onWait: () => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const textOf = (holder: string) =>
    readFile(holder, "utf8").catch(ignore("ENOENT")).catch(wrapError(holder));
  const paths = holders.map((name) => join(path, name));
  const before = await Promise.all(paths.map(textOf));
  onWait();
  for (let looks = 0; looks < lockTimes.looks; looks++) {
    signal?.throwIfAborted();
    await sleep(lockTimes.lookMs);
    const now = await Promise.all(paths.map(textOf));
    // One that let go meanwhile needs no more looks.
    if (now.every((text) => text === undefined)) return;
    const beating = now.find((text, index) => text !== undefined && text !== before[index]);
    if (beating !== undefined) throw inUse(file, beating);
  }
  for (const holder of paths) await rm(holder, { force: true }).catch(wrapError(holder));
}

function inTheWay(path: string): ConfigurationError {
  return new ConfigurationError(
    `${path} stands where a lock is kept, and does not belong there. Nothing was sent. Move it away, and run this again.`,
  );
}

function inUse(file: string, holder: string): ConfigurationError {
  const [, pid = "", host = ""] = /"pid":(\d+),"host":"([\w.-]*)"/.exec(holder) ?? [];
  const who = pid && ` (number ${pid} on ${host})`;
  return new ConfigurationError(
    `${file} is in use by another process${who}. Two that use it at once could pay twice: run this again when that has ended.`,
  );
}
