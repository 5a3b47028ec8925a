import { printableLine, printLine } from "./output.js";

/**
 * Shows on standard error how a wait goes. A terminal gets one line that is rewritten. Files, continuous integration
 * and terminals that cannot go back get a line for each change. There are no colours, so there are none to turn off.
 */
export class Progress {
  readonly #isLive = process.stderr.isTTY && process.env.TERM !== "dumb" && !isOn(process.env.CI);
  readonly #timer = this.#isLive ? setInterval(() => this.#show(), 1000).unref() : undefined;
  #state = "";
  #startedAt = 0;
  /** How many columns of the live line are in use. */
  #width = 0;

  /**
   * @param now milliseconds
   * @param polls how many polls were sent so far
   */
  constructor(
    private readonly now: () => number,
    private readonly polls: () => number,
  ) {}

  /** Prints a line that stays. */
  say(line: string): void {
    this.#clear();
    printLine(printableLine(line));
    this.#show();
  }

  /** Begins something, timed from now; only a terminal shows it. */
  begin(state: string): void {
    this.#startedAt = this.now();
    this.#state = printableLine(state);
    this.#show();
  }

  /** Changes the live line of a terminal; elsewhere prints a line. */
  change(state: string): void {
    this.#state = printableLine(state);
    if (this.#isLive) this.#show();
    else this.say(this.#line());
  }

  /** Prints the last change as a line that stays. */
  end(state: string): void {
    this.#state = state;
    const last = this.#line();
    this.#state = "";
    this.say(last);
  }

  /** Removes the live line. */
  close(): void {
    clearInterval(this.#timer);
    this.#state = "";
    this.#clear();
  }

  #line(): string {
    const polls = this.polls();
    const counted = polls > 0 ? `, ${polls} ${polls === 1 ? "poll" : "polls"}` : "";
    return `${this.#state} (${duration(this.now() - this.#startedAt)}${counted})`;
  }

  #show(): void {
    if (this.#isLive && this.#state !== "") this.#rewrite(this.#line());
  }

  #clear(): void {
    if (this.#width === 0) return;
    this.#rewrite("");
    process.stderr.write("\r");
  }

  /** Uses none of a terminal's commands but the return to the beginning of the line. */
  #rewrite(text: string): void {
    const fitting = [...text].slice(0, (process.stderr.columns || 80) - 1).join("");
    process.stderr.write(`\r${fitting}${" ".repeat(Math.max(this.#width - fitting.length, 0))}`);
    this.#width = fitting.length;
  }
}

function isOn(variable: string | undefined): boolean {
  return variable !== undefined && !/^(0|false|)$/i.test(variable);
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
