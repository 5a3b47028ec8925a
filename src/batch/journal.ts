import { constants } from "node:fs";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigurationError } from "../errors/errors.js";
import { inWords, unless } from "./system-reason.js";

/** The first line of each file, so that no other file is taken for a journal and written to. */
const format = "screenshot-sets batch 1";
const firstLine = `${JSON.stringify({ format })}\n`;

/** What a journal holds: the JSON text of each value, and the length of the lines that were written whole, in bytes. */
interface Content {
  texts: Map<string, string>;
  size: number;
}

/**
 * A file that grows by a line for each value that is saved, of which the last of a key counts. A crash or a full disk
 * leaves what was saved, and perhaps a part of a line, which was not.
 */
export class Journal {
  readonly texts: Map<string, string>;
  readonly #path: string;
  #file: FileHandle | undefined;
  /** The length of all that was saved. What is behind it is a part of a line. */
  #size: number;

  private constructor(path: string, { texts, size }: Content, file: FileHandle | undefined) {
    this.#path = path;
    this.texts = texts;
    this.#size = size;
    this.#file = file;
  }

  /**
   * Opens a file, if it is there: it is created with the first value. Cuts away a part of a line at its end.
   *
   * @throws {ConfigurationError} for a file that is no journal, or is broken
   */
  static async open(path: string): Promise<Journal> {
    const { O_RDWR, O_APPEND } = constants;
    const file = await open(path, O_RDWR | O_APPEND)
      .catch(unless("ENOENT"))
      .catch(inWords(path));
    try {
      const bytes = (await file?.readFile()) ?? Buffer.of();
      const content = contentOf(path, bytes);
      if (content.size < bytes.length) await file?.truncate(content.size);
      return new Journal(path, content, file);
    } catch (error) {
      await file?.close();
      throw error;
    }
  }

  /**
   * Appends values, which are durable when this resolves.
   *
   * @throws {ConfigurationError} where the file was moved, removed or written to by somebody else
   */
  async append(values: ReadonlyMap<string, string>): Promise<void> {
    const lines = [...values].map(([key, text]) => `{"key":${JSON.stringify(key)},"value":${text}}\n`);
    this.#file ??= await create(this.#path);
    const file = this.#file;
    await this.#checkOwn(file);
    const bytes = Buffer.from((this.#size === 0 ? firstLine : "") + lines.join(""));
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } catch (error) {
      // What is left of the lines is cut away when the file is opened again, if it can't be now.
      await file.truncate(this.#size).catch(() => {});
      inWords(this.#path)(error);
    }
    this.#size += bytes.length;
    for (const [key, text] of values) {
      if (text === "null") this.texts.delete(key);
      else this.texts.set(key, text);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  /** Two processes may share a file without seeing each other's lock: under two names, or mounted alone. */
  async #checkOwn(file: FileHandle): Promise<void> {
    const [own, named] = [await file.stat(), await stat(this.#path).catch(unless("ENOENT"))];
    const what =
      named?.ino !== own.ino || named.dev !== own.dev
        ? "moved or removed"
        : own.size !== this.#size
          ? "written to by something else"
          : undefined;
    if (what) throw new ConfigurationError(`${this.#path} was ${what}. Nothing more is written.`);
  }
}

/** Reads the values of a journal, and changes nothing. */
export async function valuesIn(path: string): Promise<Map<string, unknown>> {
  const bytes = await readFile(path).catch(unless("ENOENT")).catch(inWords(path));
  const { texts } = contentOf(path, bytes ?? Buffer.of());
  return new Map([...texts].map(([key, text]) => [key, JSON.parse(text)]));
}

async function create(path: string): Promise<FileHandle> {
  const file = await open(path, "a").catch(inWords(path));
  // The name of a new file is durable once its folder is. Windows has no way to do that, and needs none.
  const folder = await open(dirname(path), "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
  return file;
}

/** @throws {ConfigurationError} for what is not the content of a journal: it may be what is left of a paid batch */
function contentOf(path: string, bytes: Buffer): Content {
  const size = bytes.lastIndexOf("\n") + 1;
  const texts = new Map<string, string>();
  if (bytes.length === 0) return { texts, size };
  const [first, ...lines] = bytes.toString("utf8", 0, size).split("\n").slice(0, -1);
  if (Object(parsed(first)).format !== format) {
    throw broken(path, "does not begin as a file of `fileStore`");
  }
  for (const [index, line] of lines.entries()) {
    const { key, value } = Object(parsed(line)) as { key?: unknown; value?: unknown };
    if (typeof key !== "string" || value === undefined) {
      throw broken(path, `is broken in line ${index + 2}`);
    }
    if (value === null) texts.delete(key);
    else texts.set(key, JSON.stringify(value));
  }
  return { texts, size };
}

function parsed(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? "");
  } catch {
    return undefined;
  }
}

function broken(path: string, how: string): ConfigurationError {
  return new ConfigurationError(
    `${path} ${how}. Nothing was sent. Sets that it names may be paid for: restore it, or compare the account's credits before you remove it.`,
  );
}
