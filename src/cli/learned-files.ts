import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { ScreenshotSets } from "../index.js";

/** What is larger was not written here. */
const mostBytes = 100_000;
/** How many files are kept; those that were written longest ago go first. */
const mostFiles = 50;

/** The last line that a command prints is its own, and the client that read a file has said what makes no sense in it. */
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * What commands on this machine learned of how long jobs take at one address, in the user's cache folder. A command
 * that has learned something writes a new file and removes those that it has read: there is one for each address,
 * or two until the next command where two ended at once. Where that is not possible, nothing is kept.
 */
export class LearnedFiles {
  readonly #folder = cacheFolder();
  readonly #prefix: string;

  constructor(baseUrl: string) {
    const address = baseUrl.replace(/\/+$/, "");
    this.#prefix = `${createHash("sha256").update(address).digest("hex").slice(0, 16)}-`;
  }

  /** What was learned, as the option `learned` takes it. */
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
      // The command has done its work: that the next one knows less is no failure.
    }
  }

  async #replace(files: string[], learned: string): Promise<void> {
    if (this.#folder === undefined) return;
    // Not recursive: nobody's home is made, and Node makes folders below /proc for ever.
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

/** What stands in the files, of those that can be read. */
async function textOf(files: string[]): Promise<string> {
  const texts = files.map(async (file) => {
    const { size } = await stat(file);
    return size > mostBytes ? "" : readFile(file, "utf8");
  });
  const read = await Promise.allSettled(texts);
  return read.map((text) => (text.status === "fulfilled" ? text.value : "")).join("\n");
}

/** The folder for what can be made again; none without a home. */
function cacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const usual = process.platform === "darwin" ? "Library/Caches" : ".cache";
  const ofUser = process.platform === "win32" ? LOCALAPPDATA : HOME && join(HOME, usual);
  const folder = [XDG_CACHE_HOME, ofUser].find((folder) => folder && isAbsolute(folder));
  return folder && join(folder, "screenshot-sets");
}
