import { printableLine, printLine } from "./output.js";

/**
 * The lines at the end of standard error that change while a command works. Terminals rewrite them in place; files,
 * continuous integration and dumb terminals get only lines that stay. There are no colours.
 */
export class LiveLines {
  /** Whether standard error is a terminal whose lines can be rewritten. */
  readonly isLive = Boolean(
    process.stderr.isTTY && process.env.TERM !== "dumb" && /^(0|false|)$/i.test(process.env.CI ?? ""),
  );
  readonly #timer = this.isLive ? setInterval(() => this.refresh(), 1000).unref() : undefined;
  #lines: () => string[] = () => [];
  /** How many lines of the terminal are in use. */
  #height = 0;

  /** Shows these lines from now on. They are asked for each second, since most of them tell the time. */
  show(lines: () => string[]): void {
    this.#lines = lines;
    this.refresh();
  }

  refresh(): void {
    if (!this.isLive) return;
    // Some terminals do not tell their size.
    const [columns, rows] = [process.stderr.columns || 80, process.stderr.rows || 24];
    const lines = this.#lines().slice(-Math.max(rows - 2, 1));
    const text = lines.map((line) => `${[...printableLine(line)].slice(0, columns - 1).join("")}\n`).join("");
    // Written at once, so that it does not flicker; without wrapping, as some characters take two columns.
    process.stderr.write(this.#erasing() + (text && `\u001b[?7l${text}\u001b[?7h`));
    this.#height = lines.length;
  }

  /** Prints a line that stays. */
  say(line: string): void {
    this.above(() => printLine(printableLine(line)));
  }

  /** Prints above the lines. */
  above(print: () => void): void {
    this.#clear();
    print();
    if (this.isLive) this.refresh();
  }

  /** Removes the lines. */
  close(): void {
    clearInterval(this.#timer);
    this.#lines = () => [];
    this.#clear();
  }

  #clear(): void {
    process.stderr.write(this.#erasing());
    this.#height = 0;
  }

  /** Moves the cursor to the first of the lines, and erases what is below. */
  #erasing(): string {
    return this.#height > 0 ? `\u001b[${this.#height}A\r\u001b[J` : "";
  }
}
