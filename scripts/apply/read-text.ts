import { readdir, readFile } from "node:fs/promises";

/** The text of a file; undefined where there is none. */
export async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(absent);
}

/** The names in a folder, in order; none where there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(absent)) ?? []).sort();
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
