import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** The paths of files and folders in a working copy. */
export type Places = ReturnType<typeof placesIn>;

/** The paths in the working copy at `root`. */
export function placesIn(root: string) {
  return {
    root,
    manifest: path.join(root, "package.json"),
    /** The document as the service publishes it. */
    document: path.join(root, "openapi.json"),
    /** The document as of the last release of the package. */
    released: path.join(root, ".changeset", "released-openapi.json"),
    /** The folder that contains only generated files. */
    generated: path.join(root, "src", "generated"),
    changesets: path.join(root, ".changeset"),
  };
}

/** The text of a file; undefined if there is none. */
export async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(undefinedIfMissing);
}

/** The sorted names in a folder; none if there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(undefinedIfMissing)) ?? []).sort();
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
