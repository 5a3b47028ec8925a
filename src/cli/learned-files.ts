import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { ScreenshotSets } from "../index.js";

/** The size of the largest file that is read, in bytes. Larger files were not written here. */
const mostBytes = 100_000;
/** How many files are kept; the oldest are removed first. */
const mostFiles = 50;

/** A silent logger: a command's last line must be its own, and the client that read the files has already warned. */
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * What commands on this machine learned about how long jobs take at one address, in the user's cache folder. A command
 * that learned something writes a new file and removes those it has read, so each address has one file, or two until
 * the next command if two ended at once. If that is not possible, nothing is kept. Nor is
 * anything for addresses of this machine.
 */
export class LearnedFiles {
  readonly #folder: string | undefined;
  readonly #prefix: string;

  constructor(baseUrl: string) {
    const address = baseUrl.replace(/\/+$/, "");
    // Mocks on ever new ports would displace what the service has taught.
    const isLocal = /^https?:\/\/(127\.|\[::1\]|([^/:]+\.)?localhost(?=[:/]|$))/i.test(address);
    this.#folder = isLocal ? undefined : cacheFolder();
    this.#prefix = `${createHash("sha256").update(address).digest("hex").slice(0, 16)}-`;
  }

  /** What was learned, as text for the option `learned`. */
  async read(): Promise<string> {
    return textOf(await this.#files());
  }

  /** Adds what a client learned. */
  async add(client: ScreenshotSets): Promise<void> {
    try {
      const files = await this.#files();
      const before = await textOf(files);
      const both = client.withOptions({ learned: `${before}\n${client.learned()}`, logger: silent });
      const learned = both.learned();
      if (learned !== before) await this.#replace(files, learned);
    } catch {
      // The command's own work is done; it is no failure if the next one knows less.
    }
  }

  async #replace(files: string[], learned: string): Promise<void> {
    if (this.#folder === undefined) return;
    // Not recursive: it must not create a home folder, and below /proc Node would try to create folders forever.
    for (const folder of [dirname(this.#folder), this.#folder]) await mkdir(folder, 0o700).catch(() => {});
    const file = join(this.#folder, this.#prefix + randomUUID());
    await writeFile(`${file}.tmp`, learned, { flag: "wx", mode: 0o600 });
    await rename(`${file}.tmp`, `${file}.txt`);
    for (const read of [...files, ...(await this.#oldest())]) await rm(read, { force: true });
  }

  async #files(): Promise<string[]> {
    const names = this.#folder ? await readdir(this.#folder).catch(() => []) : [];
    const own = names.filter((name) => name.startsWith(this.#prefix) && name.endsWith(".txt"));
    return own.map((name) => join(this.#folder as string, name));
  }

  async #oldest(): Promise<string[]> {
    const names = await readdir(this.#folder as string);
    const written = names.map(async (name) => {
      const file = join(this.#folder as string, name);
      return { file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
    });
    const files = (await Promise.all(written)).sort((one, other) => other.at - one.at);
    return files.slice(mostFiles).map(({ file }) => file);
  }
}

/** The joined contents of the files that can be read. */
async function textOf(files: string[]): Promise<string> {
  const texts = files.map(async (file) => {
    const { size } = await stat(file);
    return size > mostBytes ? "" : readFile(file, "utf8");
  });
  const read = await Promise.allSettled(texts);
  return read.map((text) => (text.status === "fulfilled" ? text.value : "")).join("\n");
}

/** This program's folder in the user's cache folder; undefined if the environment names none. */
function cacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const usual = process.platform === "darwin" ? "Library/Caches" : ".cache";
  const ofUser = process.platform === "win32" ? LOCALAPPDATA : HOME && join(HOME, usual);
  const folder = [XDG_CACHE_HOME, ofUser].find((folder) => folder && isAbsolute(folder));
  return folder && join(folder, "screenshot-sets");
}
