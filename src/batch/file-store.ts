import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { BatchStore } from "./batch-options.js";
import { StoreFile } from "./store-file.js";

/** A store in one JSON file. */
export interface FileStore extends BatchStore {
  load(key: string): Promise<unknown>;
  save(key: string, value: unknown): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The files in use by this process. */
const files = new Map<string, StoreFile>();

/**
 * Keeps the sets of a batch in one JSON file. It is written whole and atomically: a crash leaves what was saved last.
 *
 * One process at a time uses a file, from its first `load` or `save` until the batch or `close()` ends. A lock file
 * beside it says so; that of a dead process is taken over. On another machine nobody can tell whether it died: its lock
 * has to be removed by hand.
 *
 * @param path the file, which need not exist yet; its folder must
 * @returns a store that rejects with a `ConfigurationError` while another living process uses the file, and for a file
 *   that it did not write; and with the system's error where the file cannot be written
 */
export function fileStore(path: string): FileStore {
  const absolute = resolve(path);
  const file = () => {
    const real = realPath(absolute);
    const known = files.get(real) ?? new StoreFile(real);
    files.set(real, known);
    return known;
  };
  return {
    load: (key) => file().load(key),
    save: (key, value) => file().save(key, value),
    open: () => file().open(),
    close: async () => {
      const { path: real } = file();
      await file().close();
      files.delete(real);
    },
  };
}

/** The one name of a file that may have several, and may not exist yet. */
function realPath(path: string): string {
  try {
    return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
  } catch {
    // Its folder does not exist, as the first use of the file tells.
    return path;
  }
}
