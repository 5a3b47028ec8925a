/** The pause after the first refusal that names no time. */
const shortestPauseMs = 500;

/** The longest pause of all polls; one whom the service asks to wait longer does so, but alone. */
const longestPauseMs = 30_000;

/**
 * How far the polls of a client hold back since the service answered 429. Each refusal halves how many may be in
 * flight and doubles the pause of all; each round of good answers lets one more in, and shortens the next pause.
 */
export class Throttle<Poller> {
  readonly #most: number;
  #limit: number;
  /** Before this time on the clock, polls wait. */
  pausedUntil = Number.NEGATIVE_INFINITY;
  /** Whose poll goes out at its own pace during a pause, to see whether the service takes polls again. */
  probe: Poller | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** @param most polls that are in flight at the most */
  constructor(most: number) {
    this.#most = most;
    this.#limit = most;
  }

  /** Polls that may be in flight at present. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** @param sentAt when the poll was sent that now has a good answer */
  accepted(sentAt: number): void {
    if (sentAt <= this.#refusedAt) return;
    this.#limit = Math.min(this.#limit + 1 / this.#limit, this.#most);
    if (this.probe === undefined) return;
    this.probe = undefined;
    this.pausedUntil = Number.NEGATIVE_INFINITY;
  }

  /**
   * Polls that were under way together are refused together: only the first of them slows the others down, but a
   * later time to come back counts. A probe that is refused again does not: it may be its job alone that the service
   * refuses, so the others have their turn after the pause.
   *
   * @returns the pause of all, in milliseconds; `undefined` if it stays as it was
   */
  refused(poller: Poller, sentAt: number, now: number, retryAfterMs: number | undefined): number | undefined {
    if (poller === this.probe && sentAt < this.pausedUntil && retryAfterMs === undefined) return undefined;
    const isFirst = sentAt > this.#refusedAt;
    if (isFirst) {
      this.#refusedAt = now;
      this.#limit = Math.max(1, this.#limit / 2);
    } else if (retryAfterMs === undefined) {
      return undefined;
    }
    const pauseMs = Math.min(
      retryAfterMs ?? (shortestPauseMs * this.#most) / (2 * this.#limit),
      longestPauseMs,
    );
    if (now + pauseMs <= this.pausedUntil) return undefined;
    this.pausedUntil = now + pauseMs;
    this.probe = retryAfterMs === undefined ? poller : undefined;
    return pauseMs;
  }
}
