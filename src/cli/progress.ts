import { plural, printableLine, printLine } from "./output.js";

/**
 * Shows the progress of a wait on standard error. A terminal gets one line that is rewritten. Files, continuous
 * integration and dumb terminals get a line for each change. There are no colours, and so no option to turn them off.
 */
export class Progress {
  readonly #isLive = isLive();
  readonly #timer = this.#isLive ? setInterval(() => this.#show(), 1000).unref() : undefined;
  #state = "";
  #startedAt = 0;
  /** How many columns of the live line are in use. */
  #width = 0;

  /**
   * @param now returns the current time in milliseconds
   * @param polls returns how many polls have been sent so far
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

  /** Starts a state that is timed from now. Only a terminal shows it. */
  begin(state: string): void {
    this.#startedAt = this.now();
    this.#state = printableLine(state);
    this.#show();
  }

  /** Changes the live line of a terminal; elsewhere, prints a line. */
  change(state: string): void {
    this.#state = printableLine(state);
    if (this.#isLive) this.#show();
    else this.say(this.#line());
  }

  /** Prints the final state as a line that stays. */
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
    const counted = polls > 0 ? `, ${plural(polls, "poll")}` : "";
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

  /** Rewrites the live line. The only terminal command that it uses is the carriage return. */
  #rewrite(text: string): void {
    const fitting = [...text].slice(0, (process.stderr.columns || 80) - 1).join("");
    process.stderr.write(`\r${fitting}${" ".repeat(Math.max(this.#width - fitting.length, 0))}`);
    this.#width = fitting.length;
  }
}

/** Whether standard error is a terminal whose lines can be rewritten. */
export function isLive(): boolean {
  return process.stderr.isTTY && process.env.TERM !== "dumb" && !isOn(process.env.CI);
}

function isOn(variable: string | undefined): boolean {
  return variable !== undefined && !/^(0|false|)$/i.test(variable);
}

/** A time for people: `75 s` is `1 min 15 s`. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
