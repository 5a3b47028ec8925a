import { duration, type LiveLines } from "./live-lines.js";
import { plural } from "./output.js";

/** Tells how one job goes on: in a line that is rewritten, or in a line for each change of status. */
export class Progress {
  #state = "";
  #startedAt = 0;

  /**
   * @param now returns the current time in milliseconds
   * @param polls returns how many polls have been answered so far
   */
  constructor(
    private readonly live: LiveLines,
    private readonly now: () => number,
    private readonly polls: () => number,
  ) {}

  /** Starts a state that is timed from now. Only a terminal shows it. */
  begin(state: string): void {
    this.#startedAt = this.now();
    this.#state = state;
    this.live.show(() => [this.#line()]);
  }

  /** Changes the line of a terminal; elsewhere, prints a line. */
  change(state: string): void {
    this.#state = state;
    if (this.live.isLive) this.live.refresh();
    else this.live.say(this.#line());
  }

  /** Prints the final state as a line that stays. */
  end(state: string): void {
    this.#state = state;
    this.live.show(() => []);
    this.live.say(this.#line());
  }

  #line(): string {
    const polls = this.polls();
    const counted = polls > 0 ? `, ${plural(polls, "poll")}` : "";
    return `${this.#state} (${duration(this.now() - this.#startedAt)}${counted})`;
  }
}
