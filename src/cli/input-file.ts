import { readFile } from "node:fs/promises";
import { systemReason } from "../batch/system-reason.js";
import { UsageError } from "./command.js";
import { printableLine } from "./output.js";

/**
 * The text of a file, without the byte order mark that some editors write.
 *
 * @param typed how the file was named on the command line
 * @throws {UsageError} when it cannot be read
 */
export async function textOf(file: string, typed = file): Promise<string> {
  try {
    return new TextDecoder().decode(await readFile(file));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isMissing ? "there is no such file" : systemReason(error);
    throw new UsageError(printableLine(`Cannot use ${typed}: ${reason}.`));
  }
}
