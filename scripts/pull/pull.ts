import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { quoted, Refusal } from "../refusal.js";
import { collect, readUrl } from "./read-url.js";
import type { Source } from "./source.js";

/** The largest document that is read, in bytes. */
const maxBytes = 10 * 1024 * 1024;

/** The text of a document, from a file or from the network. */
export async function pull(source: Source, timeoutMs: number): Promise<string> {
  const bytes = "file" in source ? await readFile(source.file) : await readUrl(source, maxBytes, timeoutMs);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal("not-utf-8", "it is not valid UTF-8");
  }
}

/** The bytes of a regular file. Others, such as pipes and devices, are not opened: they may block or never end. */
async function readFile(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw unreadable(file);
  try {
    return await collect(createReadStream(file), maxBytes);
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable(file);
  }
}

function unreadable(file: string): Refusal {
  return new Refusal("unreadable-file", `${quoted(file)} is not a file that can be read`);
}
