import { createMock, type Recorded } from "../mock/index.js";
import { UsageError } from "./command.js";
import { textOf } from "./input-file.js";

/**
 * The recording in a file.
 *
 * @throws {UsageError} when the file cannot be read, is not JSON, or no recording
 */
export async function recordedIn(file: string | undefined): Promise<Recorded | undefined> {
  if (file === undefined) return undefined;
  const typed = `--recorded ${file}`;
  const text = await textOf(file, typed);
  try {
    const recorded = JSON.parse(text);
    // It checks what it is given.
    createMock({ recorded });
    return recorded;
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, "");
    throw new UsageError(`Cannot use ${typed}: ${reason}.`);
  }
}
