import { readFile } from "node:fs/promises";
import { systemReason } from "../batch/system-reason.js";
import { createMock, type Recorded } from "../mock/index.js";
import { UsageError } from "./command.js";
import { printableLine } from "./output.js";

/**
 * The recording in a file.
 *
 * @throws {UsageError} when the file cannot be read, is not JSON, or no recording
 */
export async function recordedIn(file: string | undefined): Promise<Recorded | undefined> {
  if (file === undefined) return undefined;
  try {
    // `TextDecoder` leaves out the byte order mark that some editors write.
    const recorded = JSON.parse(new TextDecoder().decode(await readFile(file)));
    // It checks what it is given.
    createMock({ recorded });
    return recorded;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : code ? systemReason(error) : message;
    throw new UsageError(printableLine(`Cannot use --recorded ${file}: ${reason.replace(/\.$/, "")}.`));
  }
}
