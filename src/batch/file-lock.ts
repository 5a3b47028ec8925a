import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ConfigurationError } from "../errors/errors.js";

/** Who holds a lock. */
interface Holder {
  pid: number;
  /** When the process started, since the number of a dead process is given to another one later. */
  started: string | undefined;
  host: string;
}

/**
 * A lock, by which one process at a time uses the file beside it. The lock of a dead process is taken over. It is a folder
 * with one file, named at random, that names its holder: a folder can replace another one only if that is empty, and a
 * dead process's file is removed by its own name, so nobody ever removes the lock of a living process.
 */
export class FileLock {
  readonly #path: string;
  readonly #holder: string;

  private constructor(path: string, id: string) {
    this.#path = path;
    this.#holder = join(path, id);
  }

  /** @throws {ConfigurationError} while another process, or another batch of this one, holds the lock */
  static async take(file: string): Promise<FileLock> {
    const path = `${file}.lock`;
    const { pid } = process;
    const id = randomUUID();
    const holder: Holder = { pid, started: await startOf(pid), host: hostname() };
    // Written first and then renamed, so that a lock is never seen half written.
    const own = `${path}.${id}`;
    await mkdir(own);
    try {
      await writeFile(join(own, id), `${JSON.stringify(holder)}\n`);
      while (!(await replaced(path, own))) await removeDead(path, file);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
    return new FileLock(path, id);
  }

  /** @throws {ConfigurationError} if somebody removed the lock: another process may use the file now */
  async check(): Promise<void> {
    if ((await textOf(this.#holder)) !== undefined) return;
    throw new ConfigurationError(`The lock ${this.#path} was removed or taken. Nothing more is written.`);
  }

  async release(): Promise<void> {
    await rm(this.#holder, { force: true });
    await removeEmpty(this.#path);
  }
}

/** Puts a folder in the place of another, if that is empty or absent. */
async function replaced(path: string, own: string): Promise<boolean | undefined> {
  // Windows replaces no folder, not even an empty one.
  await removeEmpty(path);
  return rename(own, path).then(() => true, unless("ENOTEMPTY", "EEXIST", "EPERM"));
}

function removeEmpty(path: string): Promise<void> {
  return rmdir(path).catch(unless("ENOENT", "ENOTEMPTY", "EEXIST"));
}

/** Removes the holder of a lock, if it is dead. */
async function removeDead(path: string, file: string): Promise<void> {
  const [id] = (await readdir(path).catch(unless("ENOENT"))) ?? [];
  if (id === undefined) return;
  const text = await textOf(join(path, id));
  if (text === undefined) return;
  const holder = holderIn(text);
  if (!holder || (await isAlive(holder))) {
    const who = holder ? `process ${holder.pid} on ${holder.host}` : "something that is no process";
    throw new ConfigurationError(
      `${file} is in use by ${who}. If that is over, remove ${path}: two processes that use it at once could pay twice.`,
    );
  }
  await rm(join(path, id), { force: true });
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

/** Takes an error of the system for no error, if it has one of these codes. */
export function unless(...codes: string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code as string)) throw error;
  };
}
