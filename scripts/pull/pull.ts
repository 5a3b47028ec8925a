import { Refusal } from "../refusal.js";
import { readFile } from "./read-file.js";
import { readUrl } from "./read-url.js";
import type { Source } from "./source.js";

/** The largest document that is read, in bytes. */
const largest = 10 * 1024 * 1024;

/** The text of a document, from a file or from the network. */
export async function pull(source: Source, timeoutMs: number): Promise<string> {
  const bytes =
    "file" in source ? await readFile(source.file, largest) : await readUrl(source, largest, timeoutMs);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(
      "not-utf-8",
      "Failed to read the document: it is not valid UTF-8. Please give it as UTF-8.",
    );
  }
}
