import { randomBytes } from "node:crypto";
import { constants, fstatSync, type Stats } from "node:fs";
import { access, chmod, open, readlink, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { UsageError } from "./command.js";
import { unlessInterrupted } from "./interrupt.js";
import { printableLine, printResult } from "./output.js";

/** Writes the result. An interrupt ends a write that could otherwise last forever. */
export type Deliver = (text: string, signal: AbortSignal) => Promise<void>;

/**
 * Where the result goes: standard output, or a file that receives all of it or nothing.
 *
 * @throws {UsageError} when the file cannot be written
 */
export async function destination(file: string | undefined): Promise<Deliver> {
  // As in most command lines, a dash stands for standard output.
  if (file === undefined || file === "-") return toStandardOutput;
  try {
    return await fileDestination(file);
  } catch (error) {
    throw new UsageError(`Cannot write to --out ${printableLine(file)}: ${reasonOf(error)}.`);
  }
}

async function fileDestination(file: string): Promise<Deliver> {
  if (file === "") throw new Error("its name is empty");
  const found = await stat(file).catch(unlessAbsent);
  // A socket cannot be opened, but it may be standard output under another name.
  if (found?.isSocket()) return standardOutput(found);
  if (found?.isDirectory() || file.endsWith("/") || file.endsWith(sep)) throw new Error("it is a folder");
  if (found) await access(file, constants.W_OK);
  // Devices and pipes are written to directly: replacing one would turn it into a file.
  if (found && !found.isFile()) {
    return async (text, signal) => {
      if (found.isFIFO()) signal.addEventListener("abort", () => void readNothing(file), { once: true });
      await unlessInterrupted(writeFile(file, text), signal);
    };
  }
  // The target of a link is replaced or created, not the link.
  const target = found ? await realpath(file) : await endOfLinks(file);
  const mode = found && found.mode & 0o7777;
  await rm(await temporaryFile(target, "", mode));
  return async (text) => {
    const temporary = await temporaryFile(target, text, mode);
    await rename(temporary, target).catch((error) => removed(temporary, error));
  };
}

/** Unblocks a write to a pipe: opening it waits for a reader, and keeps the process from exiting. */
async function readNothing(file: string): Promise<void> {
  const reader = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  await reader?.close();
}

function standardOutput({ dev, ino }: Stats): Deliver {
  const own = fstatSync(process.stdout.fd);
  if (own.dev !== dev || own.ino !== ino) throw new Error("it is a socket");
  return toStandardOutput;
}

const toStandardOutput: Deliver = (text, signal) => unlessInterrupted(printResult(text), signal);

/** The path at the end of a chain of dangling links. */
async function endOfLinks(file: string): Promise<string> {
  const next = await readlink(file).catch(() => undefined);
  return next === undefined ? file : endOfLinks(resolve(await realpath(dirname(file)), next));
}

/** Writes a new file beside `target`. On failure, no file is left behind. */
async function temporaryFile(target: string, text: string, mode: number | undefined): Promise<string> {
  const temporary = join(dirname(target), `.screenshot-sets-${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx", mode, flush: true });
    // The mode of a new file is without what the user's mask takes away.
    if (mode !== undefined) await chmod(temporary, mode);
    return temporary;
  } catch (error) {
    return removed(temporary, error);
  }
}

async function removed(file: string, error: unknown): Promise<never> {
  await rm(file, { force: true });
  throw error;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Why the operating system refused, in its own words, without the error code and the system call. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "its folder does not exist";
  return printableLine(/^[A-Z\d]+: ([^,]+)/.exec(message)?.[1] ?? message);
}
