import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";

/**
 * What commands on this machine learned about how long jobs take at one address, in the user's cache folder. Of two
 * commands that end at once, what the later one learned is kept. If nothing can be kept, nothing is. Nor is anything for
 * addresses of this machine.
 */
export class LearnedFile {
  readonly #path: string | undefined;
  #before = "";

  constructor(baseUrl: string) {
    const address = baseUrl.replace(/\/+$/, "");
    const folder = cacheFolder();
    // Mocks on ever new ports would fill the folder.
    const isLocal = /^https?:\/\/(127\.|\[::1\]|([^/:]+\.)?localhost(?=[:/]|$))/i.test(address);
    const name = createHash("sha256").update(address).digest("hex").slice(0, 16);
    this.#path = folder === undefined || isLocal ? undefined : join(folder, `${name}.txt`);
  }

  /** What was learned, as text for the option `learned`. */
  async read(): Promise<string> {
    if (this.#path !== undefined) this.#before = await readFile(this.#path, "utf8").catch(() => "");
    return this.#before;
  }

  /** Keeps what a client that began with that text has learned. */
  async write(learned: string): Promise<void> {
    if (this.#path === undefined || learned === this.#before) return;
    const folder = dirname(this.#path);
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      // Not recursive: it must not create a home folder, and below /proc Node would try to create folders forever.
      for (const each of [dirname(folder), folder]) await mkdir(each, 0o700).catch(() => {});
      await writeFile(temporary, learned, { mode: 0o600 });
      await rename(temporary, this.#path);
    } catch {
      // The command's own work is done; it is no failure if the next one knows less.
    }
  }
}

/** This program's folder in the user's cache folder; undefined if the environment names none. */
function cacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const usual = process.platform === "darwin" ? "Library/Caches" : ".cache";
  const ofUser = process.platform === "win32" ? LOCALAPPDATA : HOME && join(HOME, usual);
  const folder = [XDG_CACHE_HOME, ofUser].find((folder) => folder && isAbsolute(folder));
  return folder && join(folder, "screenshot-sets");
}
