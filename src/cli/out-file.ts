import { constants } from "node:fs";
import { open, realpath, rm, stat, writeFile } from "node:fs/promises";
import { UsageError } from "./command.js";
import { unlessInterrupted } from "./interrupt.js";
import { printableLine, printResult } from "./output.js";

/** Writes the result. An interrupt ends a write that could otherwise last forever. */
export type Deliver = (text: string, signal: AbortSignal) => Promise<void>;

/**
 * Where the result goes: standard output, or a file.
 *
 * @throws {UsageError} when the file cannot be written
 */
export async function destination(file: string | undefined): Promise<Deliver> {
  // As in most command lines, a dash stands for standard output.
  if (file === undefined || file === "-") {
    return (text, signal) => unlessInterrupted(printResult(text), signal);
  }
  try {
    await checkWritable(file);
  } catch (error) {
    throw new UsageError(`Cannot write to --out ${printableLine(file)}: ${reasonOf(error)}.`);
  }
  return (text, signal) => {
    signal.addEventListener("abort", () => void letGoOf(file), { once: true });
    return unlessInterrupted(writeFile(file, text), signal);
  };
}

/** Ends the opening of a pipe that nobody reads, which would keep the process from ending. */
async function letGoOf(file: string): Promise<void> {
  const reader = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  await reader?.close();
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

/** Why the operating system refused, in its own words, without the error code and the system call. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "its folder does not exist";
  if (code === "EISDIR") return "it is a folder";
  return printableLine(/^[A-Z\d]+: ([^,]+)/.exec(message)?.[1] ?? message);
}
