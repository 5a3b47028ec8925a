import { printableLine, printLine } from "./output.js";
import { duration, isLive } from "./progress.js";

/** How a row is shown: those in work first, if there are more rows than lines. */
type Rank = "active" | "ended" | "pending";

interface Row {
  state: string;
  rank: Rank;
  beganAt: number | undefined;
  endedAt: number | undefined;
}

/** The most that the column of the keys takes of a line. */
const keyPart = 0.45;

/**
 * Shows the sets of a batch on standard error, one line each. On a terminal the lines are rewritten in place; files,
 * continuous integration and dumb terminals get a line for each change. There are no colours.
 */
export class Table {
  readonly isLive = isLive();
  readonly #rows: Map<string, Row>;
  readonly #now: () => number;
  readonly #summary: (elapsed: string) => string;
  readonly #startedAt: number;
  readonly #timer = this.isLive ? setInterval(() => this.#show(), 1000).unref() : undefined;
  /** How many lines of the terminal are in use. */
  #height = 0;
  #isClosed = false;

  /**
   * @param now returns the current time in milliseconds
   * @param summary returns the line below the rows, given how long the batch has run
   */
  constructor(keys: Iterable<string>, now: () => number, summary: (elapsed: string) => string) {
    const row: Row = { state: "", rank: "pending", beganAt: undefined, endedAt: undefined };
    this.#rows = new Map([...keys].map((key) => [key, { ...row }]));
    this.#now = now;
    this.#summary = summary;
    this.#startedAt = now();
    this.#show();
  }

  /** How long the batch has run, for people. */
  get elapsed(): string {
    return duration(this.#now() - this.#startedAt);
  }

  /** A set is in work. Where lines are not rewritten, prints a line. */
  begin(key: string, state: string): void {
    this.#change(key, state, "active");
    if (!this.isLive) printLine(printableLine(`${key}: ${state}`));
  }

  /** A set has ended; its line is printed elsewhere. */
  end(key: string, state: string): void {
    this.#change(key, state, "ended");
  }

  /** Prints a line that stays. */
  say(line: string): void {
    this.above(() => printLine(printableLine(line)));
  }

  /** Prints above the table. */
  above(print: () => void): void {
    this.#clear();
    print();
    this.#show();
  }

  /** Removes the table. */
  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    this.#clear();
  }

  #change(key: string, state: string, rank: Rank): void {
    const row = this.#rows.get(key);
    if (!row) return;
    row.beganAt ??= this.#now();
    if (rank === "ended") row.endedAt = this.#now();
    Object.assign(row, { state: printableLine(state), rank });
    this.#show();
  }

  #show(): void {
    if (!this.isLive || this.#isClosed) return;
    const { columns = 80, rows = 24 } = process.stderr;
    const lines = [...this.#lines(columns, rows - 2), this.#summary(this.elapsed)].map((line) =>
      fitted(line, columns - 1),
    );
    // Written at once, so that it does not flicker.
    process.stderr.write(`${this.#erasing()}${lines.join("\n")}\n`);
    this.#height = lines.length;
  }

  #lines(columns: number, most: number): string[] {
    const keys = [...this.#rows.keys()];
    const width = Math.min(Math.max(...keys.map(widthOf)), Math.floor(columns * keyPart));
    const shown = this.#shown(most);
    const lines = shown.map(([key, row]) => {
      const name = fitted(printableLine(key), width);
      return `${name}${" ".repeat(Math.max(width - widthOf(name), 0))}  ${this.#stateOf(row)}`;
    });
    const hidden = this.#rows.size - shown.length;
    return hidden > 0 ? [...lines, `and ${hidden} more`] : lines;
  }

  #stateOf({ state, rank, beganAt, endedAt }: Row): string {
    if (rank === "pending" || beganAt === undefined) return "";
    return `${state} (${duration((endedAt ?? this.#now()) - beganAt)})`;
  }

  /** The rows that fit: those in work, then those not begun, then those that ended; in their order. */
  #shown(most: number): [string, Row][] {
    const all = [...this.#rows];
    if (all.length <= most) return all;
    const ranked = (["active", "pending", "ended"] as const).flatMap((rank) =>
      all.filter(([, row]) => row.rank === rank),
    );
    const kept = new Set(ranked.slice(0, Math.max(most - 1, 1)));
    return all.filter((entry) => kept.has(entry));
  }

  #clear(): void {
    if (this.#height > 0) process.stderr.write(this.#erasing());
    this.#height = 0;
  }

  /** Moves the cursor to the first line of the table, and erases what is below. */
  #erasing(): string {
    return this.#height > 0 ? `\u001b[${this.#height}A\r\u001b[J` : "";
  }
}

/** Characters that take two columns of a terminal: https://www.unicode.org/reports/tr11 */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (wide.test(character) ? 2 : 1), 0);
}

/** The beginning of a text that fits into so many columns. */
function fitted(text: string, columns: number): string {
  let width = 0;
  let end = "";
  for (const character of text) {
    width += wide.test(character) ? 2 : 1;
    if (width > columns) return end;
    end += character;
  }
  return end;
}
