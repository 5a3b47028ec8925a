import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Where things are in a working copy. */
export type Places = ReturnType<typeof placesIn>;

/** The places of the working copy at `root`. */
export function placesIn(root: string) {
  return {
    root,
    manifest: path.join(root, "package.json"),
    /** The document as the service publishes it. */
    document: path.join(root, "openapi.json"),
    /** The document as it was when the package was last released. */
    released: path.join(root, ".changeset", "released-openapi.json"),
    /** The folder that holds what is generated, and nothing else. */
    generated: path.join(root, "src", "generated"),
    changesets: path.join(root, ".changeset"),
  };
}

/** The text of a file; undefined where there is none. */
export async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(undefinedIfMissing);
}

/** The names in a folder, in order; none where there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(undefinedIfMissing)) ?? []).sort();
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
