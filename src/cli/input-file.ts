import { readFile } from "node:fs/promises";
import { systemReason } from "../batch/system-reason.js";
import { UsageError } from "./command.js";

/**
 * The text of a file, without the byte order mark that some editors write.
 *
 * @param typed how the file was named on the command line
 * @throws {UsageError} when it cannot be read, or is not UTF-8, of which a decoder would make other letters without a word
 */
export async function textOf(file: string, typed = file): Promise<string> {
  const refuse = (reason: string): never => {
    throw new UsageError(`Cannot use ${typed}: ${reason}.`);
  };
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) =>
    refuse(error.code === "ENOENT" ? "there is no such file" : systemReason(error)),
  );
  // As PowerShell writes it.
  const isUtf16 = ["fffe", "feff"].includes(bytes.toString("hex", 0, 2));
  if (isUtf16) return refuse("it is UTF-16. Save it as UTF-8");
  if (bytes.includes(0)) return refuse("it holds a NUL. Save it as UTF-8");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse("it is not UTF-8. Save it as UTF-8");
  }
}
