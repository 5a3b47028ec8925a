import type { Waiter } from "./waiter.js";

const never = Number.POSITIVE_INFINITY;
const notYet = Number.NEGATIVE_INFINITY;

/** A `Retry-After` of 0 is no reason to spin. */
const shortestRetryAfterMs = 20;

/** A pause of 0 neither: on a virtual clock, no time at all would pass. */
const shortestPauseMs = 1;

/** When the polls of a job were, and from that, when the next one comes. All times are the clock's. */
export class PollTimes {
  /** Since when the job has run, as far as is known. */
  readonly startedAt: number;
  #sentAt = notYet;
  #endedAt = notYet;
  /** Until when the last answer asked to wait. */
  #askedUntil: number | undefined;
  #isRefused = false;
  /** When the job was last seen unfinished; at first, since when anybody has looked. */
  #unfinishedAt: number;

  constructor(startedAt: number, now: number) {
    this.startedAt = startedAt;
    this.#unfinishedAt = now;
  }

  /** When the last poll was sent. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** Since when there has been nothing to do but to wait. */
  get pauseStartedAt(): number {
    return Math.max(this.startedAt, this.#endedAt);
  }

  /** Between which times the job ended that the last poll found ended, in milliseconds since it began. */
  get endedBetweenMs(): [number, number] {
    return [this.#unfinishedAt - this.startedAt, this.#sentAt - this.startedAt];
  }

  sent(now: number): void {
    this.#sentAt = now;
    // A poll that comes when the service says tells when that was, not how long jobs take.
    if (this.#askedUntil !== undefined) this.#unfinishedAt = never;
  }

  /** The last poll found the job unfinished. */
  unfinished(): void {
    this.#unfinishedAt = this.#sentAt;
  }

  ended(now: number): void {
    this.#endedAt = now;
  }

  /** What the last answer asks for: a time before which it wants no poll, and whether that holds for a last look too. */
  asked(now: number, askedMs: number | undefined, isRefused: boolean): void {
    this.#askedUntil = askedMs === undefined ? undefined : now + Math.max(askedMs, shortestRetryAfterMs);
    this.#isRefused = isRefused;
  }

  /** When a waiter wants the next poll: by what the service asks, else by pace. The last look is not among these. */
  nextFor(waiter: Waiter, paceMs: number, now: number): number {
    const { minDelayMs, maxDelayMs, deadline, lastLookAt, lastLookMs } = waiter;
    const isFirst = waiter.isEager && waiter.polls === 0;
    const isAsked = this.#askedUntil !== undefined;
    let at = this.#askedUntil ?? this.pauseStartedAt + Math.max(paceMs, shortestPauseMs);
    // An endless pause, too, begins with the poll before it.
    const pauseEnds = this.#endedAt === notYet ? notYet : this.#endedAt + minDelayMs;
    if (isFirst) at = Math.max(now, this.#askedUntil ?? pauseEnds);
    if (Math.max(at, now) >= lastLookAt) return never;
    // A service that takes longer than there is for the last look is not going to answer that.
    const tripMs = this.#sentAt === notYet ? 0 : Math.min(this.#endedAt - this.#sentAt, lastLookMs);
    const soonestMs = tripMs + (isAsked ? shortestRetryAfterMs : minDelayMs);
    if (isFirst || at + soonestMs < deadline) return at;
    // So near to the last look that none could follow in time: it is left out, or comes earlier where the pause
    // would be too long.
    const earlier = lastLookAt - soonestMs;
    const isTooLong = lastLookAt - this.pauseStartedAt > maxDelayMs;
    return isTooLong && !isAsked && earlier >= this.pauseStartedAt + minDelayMs ? earlier : never;
  }

  /** When a waiter's last look can come; the deadline, when it has been or cannot come any more. */
  lastLookFor({ minDelayMs, lastLookMs, lastLookAt, deadline }: Waiter): number {
    if (this.#sentAt >= lastLookAt) return deadline;
    const pauseEnds = this.#endedAt + minDelayMs;
    // A pause that is longer than what is left of the wait gives way.
    const soonest = pauseEnds < deadline ? pauseEnds : this.#endedAt + Math.min(minDelayMs, lastLookMs);
    const barredUntil = this.#isRefused ? (this.#askedUntil ?? notYet) : notYet;
    return Math.min(Math.max(lastLookAt, soonest, barredUntil), deadline);
  }
}
