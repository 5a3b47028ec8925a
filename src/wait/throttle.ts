/** The first and the longest pause after refusals without a `Retry-After`. */
const firstPauseMs = 500;
const longestOwnPauseMs = 16_000;

/** The longest pause of all polls. If a `Retry-After` asks for more, only the refused job waits that long. */
const longestAskedPauseMs = 30_000;

/**
 * Slows the polls of a client down after the service answered 429. Each refusal halves the number of polls in flight
 * and, if no poll was accepted since the last one, doubles the pause of all. Each round of good answers allows one more
 * poll and shortens the next pause.
 */
export class Throttle<Poller> {
  #limit: number;
  /** Polls wait until this time on the clock. */
  pausedUntil = Number.NEGATIVE_INFINITY;
  /** The poller that goes on polling during a pause, to find out whether the service accepts polls again. */
  probe: Poller | undefined;
  /** When polls were last slowed down. */
  refusedAt = Number.NEGATIVE_INFINITY;
  /** The pause after a refusal without a `Retry-After`. */
  #pauseMs = firstPauseMs;
  /** Whether a poll was accepted since the last refusal. Initially true, so that the first pause is not doubled. */
  #hasAccepted = true;

  /** @param most the most polls in flight */
  constructor(readonly most: number) {
    this.#limit = most;
  }

  /** How many polls may be in flight at present. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** @param sentAt when the poll that was just answered was sent */
  accepted(sentAt: number): void {
    if (sentAt <= this.refusedAt) return;
    this.#hasAccepted = true;
    this.#pauseMs = Math.max(this.#pauseMs / (1 + this.#limit ** -2), firstPauseMs);
    this.#limit = Math.min(this.#limit + 1 / this.#limit, this.most);
    if (this.probe !== undefined) this.pausedUntil = Number.NEGATIVE_INFINITY;
    this.probe = undefined;
  }

  /**
   * Polls that were in flight together are refused together, so only the first refusal slows the others down; a later
   * `Retry-After` still counts. A second refusal of the probe does not extend the pause: the service may refuse only
   * its job, so the others get their turn after the pause.
   *
   * @returns the pause of all polls, in milliseconds; `undefined` if it is unchanged
   */
  refused(poller: Poller, sentAt: number, now: number, retryAfterMs: number | undefined): number | undefined {
    if (poller === this.probe && sentAt < this.pausedUntil && retryAfterMs === undefined) return undefined;
    if (sentAt > this.refusedAt) {
      this.refusedAt = now;
      this.#limit = Math.max(1, this.#limit / 2);
      if (!this.#hasAccepted) this.#pauseMs = Math.min(2 * this.#pauseMs, longestOwnPauseMs);
      this.#hasAccepted = false;
    } else if (retryAfterMs === undefined) return undefined;
    const pauseMs = Math.min(retryAfterMs ?? this.#pauseMs, longestAskedPauseMs);
    if (now + pauseMs <= this.pausedUntil) return undefined;
    this.pausedUntil = now + pauseMs;
    this.probe = retryAfterMs === undefined ? poller : undefined;
    return pauseMs;
  }
}
