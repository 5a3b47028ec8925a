import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../errors/errors.js";
import { inWords, unless } from "./system-reason.js";

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
   * @throws {ConfigurationError} while another process, or another batch of this one, holds the lock
   */
  static async take(file: string, onWait: () => void, signal?: AbortSignal): Promise<FileLock> {
    const path = `${file}.lock`;
    const lock = new FileLock(path);
    for (;;) {
      await mkdir(path).catch(unless("EEXIST")).catch(inWords(path));
      const holders = await namesIn(path);
      if (holders.length > 0) await removeDead(path, holders, file, onWait, signal);
      else if (await lock.#enter()) return lock;
    }
  }

  /** @throws {ConfigurationError} if the lock was lost: another process may use the file now */
  async check(): Promise<void> {
    if (await stat(this.#own).catch(unless("ENOENT", "ENOTDIR"))) return;
    throw new ConfigurationError(`The lock ${this.#path} was removed or taken. Nothing more is written.`);
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#lastBeat;
    await rm(this.#own, { force: true });
    await removeEmpty(this.#path);
  }

  /** Puts the holder's file into the folder; false if somebody else does so at the same time. */
  async #enter(): Promise<boolean> {
    // The folder may have been removed by a holder that let go.
    const isThere = await writeFile(this.#own, this.#text(), { flag: "wx" }).then(
      () => true,
      unless("ENOENT"),
    );
    if (!isThere) return false;
    if ((await namesIn(this.#path)).length === 1) {
      this.#timer = setInterval(() => this.#beat(), lockTimes.beatMs).unref();
      return true;
    }
    await rm(this.#own, { force: true });
    await sleep(Math.random() * lockTimes.lookMs);
    return false;
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

function namesIn(path: string): Promise<string[]> {
  return readdir(path)
    .catch(unless("ENOENT"))
    .then((names) => names ?? []);
}

function removeEmpty(path: string): Promise<void> {
  return rmdir(path).catch(unless("ENOENT", "ENOTEMPTY", "EEXIST"));
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
  const textsOf = () =>
    Promise.all(holders.map((name) => readFile(join(path, name), "utf8").catch(unless("ENOENT"))));
  const before = await textsOf();
  onWait();
  for (let looks = 0; looks < lockTimes.looks; looks++) {
    signal?.throwIfAborted();
    await sleep(lockTimes.lookMs);
    const now = await textsOf();
    // One that let go meanwhile needs no more looks.
    if (now.every((text) => text === undefined)) return;
    const beating = now.find((text, index) => text !== undefined && text !== before[index]);
    if (beating !== undefined) throw inUse(file, beating);
  }
  for (const name of holders) await rm(join(path, name), { force: true });
}

function inUse(file: string, holder: string): ConfigurationError {
  const [, pid = "", host = ""] = /"pid":(\d+),"host":"([\w.-]*)"/.exec(holder) ?? [];
  const who = pid && ` (number ${pid} on ${host})`;
  return new ConfigurationError(
    `${file} is in use by another process${who}. Two that use it at once could pay twice: run this again when that has ended.`,
  );
}
