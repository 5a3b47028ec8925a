import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { ConfigurationError } from "../errors/errors.js";
import { unless } from "./unless.js";

/** Who holds a lock. */
interface Holder {
  pid: number;
  /** When the process started, since the number of a dead process is given to another one later. */
  started: string | undefined;
  host: string;
  /** Tells two locks of one process apart. */
  id: string;
}

/** A lock file, by which one process at a time uses the file beside it. The lock of a dead process is taken over. */
export class FileLock {
  readonly #path: string;
  readonly #text: string;

  private constructor(path: string, text: string) {
    this.#path = path;
    this.#text = text;
  }

  /** @throws {ConfigurationError} while another process, or another batch of this one, holds the lock */
  static async take(file: string): Promise<FileLock> {
    const path = `${file}.lock`;
    const { pid } = process;
    const holder: Holder = { pid, started: await startOf(pid), host: hostname(), id: randomUUID() };
    const text = `${JSON.stringify(holder)}\n`;
    // Written first and then linked, so that a lock is never seen half written.
    const own = `${path}.${holder.id}`;
    await writeFile(own, text, { flag: "wx" });
    try {
      while (!(await linked(own, path))) await removeDead(path, `${own}.dead`, file);
    } finally {
      await rm(own, { force: true });
    }
    return new FileLock(path, text);
  }

  /** @throws {ConfigurationError} if somebody removed the lock: another process may use the file now */
  async check(): Promise<void> {
    if ((await textOf(this.#path)) === this.#text) return;
    throw new ConfigurationError(`The lock ${this.#path} was removed or taken. Nothing more is written.`);
  }

  async release(): Promise<void> {
    if ((await textOf(this.#path)) === this.#text) await rm(this.#path, { force: true });
  }
}

function linked(own: string, path: string): Promise<boolean | undefined> {
  return link(own, path).then(() => true, unless("EEXIST"));
}

/** Removes a lock, if its holder is dead. */
async function removeDead(path: string, aside: string, file: string): Promise<void> {
  const text = await textOf(path);
  if (text === undefined) return;
  const holder = holderIn(text);
  if (!holder || (await isAlive(holder))) {
    const who = holder ? `process ${holder.pid} on ${holder.host}` : "something that is no process";
    throw new ConfigurationError(
      `${file} is in use by ${who}. If that is over, remove ${path}: two processes that use it at once could pay twice.`,
    );
  }
  // Another process may do the same at this moment, and hold the lock already: then it gets it back.
  await rename(path, aside).catch(unless("ENOENT"));
  if ((await textOf(aside)) !== text) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

function holderIn(text: string): Holder | undefined {
  try {
    const holder: Holder = JSON.parse(text);
    return Number.isInteger(holder.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive({ pid, started, host }: Holder): Promise<boolean> {
  // Nobody here can tell.
  if (host !== hostname()) return true;
  if (!exists(pid)) return false;
  const now = await startOf(pid);
  return started === undefined || now === undefined || now === started;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be told anything.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** When a process started, in the system's own words; undefined if the system does not tell. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    if (process.platform !== "linux") {
      const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]);
      return stdout.trim();
    }
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
    // The name of the program comes before, in parentheses: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const [state = "", ...fields] = (await readFile(`/proc/${pid}/stat`, "utf8"))
      .replace(/^.*\) /s, "")
      .split(" ");
    // A zombie is dead, but for its parent.
    return /[ZX]/.test(state) ? "dead" : `${boot.trim()} ${fields[18]}`;
  } catch {
    return undefined;
  }
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(unless("ENOENT"));
}
