import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { quoted, Refusal } from "../refusal.js";
import { collect } from "./collect.js";

/** The bytes of a file. What is no regular file is not opened, as it may never end, or never begin. */
export async function readFile(file: string, largest: number): Promise<Uint8Array> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw unreadable(file);
  try {
    return await collect(createReadStream(file), largest);
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable(file);
  }
}

function unreadable(file: string): Refusal {
  return new Refusal(
    "unreadable-file",
    `Failed to read ${quoted(file)}: it is not a file that can be read. Please give the file of a document.`,
  );
}
