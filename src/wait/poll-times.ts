import type { LearnedPlan } from "./learn/learned-plan.js";
import type { PollOutcome } from "./poll-queue.js";
import type { Waiter } from "./waiter.js";

const never = Number.POSITIVE_INFINITY;
const notYet = Number.NEGATIVE_INFINITY;

/** A `Retry-After` of 0 is no reason to spin. */
export const shortestRetryAfterMs = 20;

/** A pause of 0 is none either: on a virtual clock, no time at all would pass. */
const shortestPauseMs = 1;

/** Spreads the polls of jobs that were created together: from 0.9 to 1.1. */
export const drawJitter = () => 0.9 + 0.2 * Math.random();

/**
 * When a job is polled: next, by what its last answer asked for or else at the pace that was learned, and for the last
 * time before a deadline. All times are the clock's.
 */
export class PollTimes {
  readonly #plan: Pick<LearnedPlan, "delayMs" | "learn">;
  /** Since when the job has run, as far as is known. */
  readonly #startedAt: number;
  #sentAt = notYet;
  #endedAt = notYet;
  /** Until when the last answer asked to wait. */
  #askedUntil: number | undefined;
  #hasFailed = false;
  /** When the job was last known to be unfinished; at first, since when anybody has waited. */
  #unfinishedAt: number;
  /**
   * Drawn once a poll, and none before the first: Next.js refuses pages that draw random numbers before they ask for
   * anything (https://nextjs.org/docs/messages/blocking-prerender-random).
   */
  #jitter: number | undefined;

  constructor(plan: Pick<LearnedPlan, "delayMs" | "learn">, startedAt: number, now: number) {
    this.#plan = plan;
    this.#startedAt = startedAt;
    this.#unfinishedAt = now;
  }

  /** When the last poll was sent. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** Until when the last answer, a refusal, asked to wait. */
  get refusedUntil(): number {
    return this.#hasFailed ? (this.#askedUntil ?? notYet) : notYet;
  }

  /** Takes in that a poll was sent. */
  sent(now: number): void {
    this.#sentAt = now;
    // A poll that comes when the service says tells when that was, not how long jobs take.
    if (this.#askedUntil !== undefined) this.#unfinishedAt = never;
  }

  /** Takes in how a poll ended, and for how long its answer asked to wait. */
  ended(now: number, askedMs: number | undefined, outcome: PollOutcome): void {
    this.#endedAt = now;
    this.#askedUntil = askedMs === undefined ? undefined : now + Math.max(askedMs, shortestRetryAfterMs);
    this.#hasFailed = typeof outcome === "object";
    this.#jitter = drawJitter();
    if (outcome === "ended") {
      this.#plan.learn(this.#unfinishedAt - this.#startedAt, this.#sentAt - this.#startedAt);
    } else if (outcome === "unfinished") this.#unfinishedAt = this.#sentAt;
  }

  /** When the next poll for a waiter comes; never, where only its last poll is left. */
  nextFor(waiter: Waiter, now: number): number {
    const isFirst = waiter.isEager && waiter.polls === 0;
    const at = isFirst
      ? Math.max(now, this.#askedUntil ?? this.#pauseEnd(waiter.delays.minDelayMs))
      : (this.#askedUntil ?? this.#paced(waiter));
    if (Math.max(at, now) >= waiter.lastPollAt) return never;
    return isFirst ? at : this.#withTimeForLast(waiter, at);
  }

  /** When the last poll for a waiter comes; its deadline, where that was sent or cannot come any more. */
  lastFor({ delays, lastPollMs, lastPollAt, deadline }: Waiter): number {
    const { minDelayMs } = delays;
    if (this.#sentAt >= lastPollAt) return deadline;
    const pauseEnd = this.#pauseEnd(minDelayMs);
    // A pause that is longer than the rest of the wait is cut short.
    const soonest = pauseEnd < deadline ? pauseEnd : this.#pauseEnd(Math.min(minDelayMs, lastPollMs));
    return Math.min(Math.max(lastPollAt, soonest, this.refusedUntil), deadline);
  }

  #paced(waiter: Waiter): number {
    this.#jitter ??= drawJitter();
    const paceMs = this.#plan.delayMs(this.#pauseStartedAt - this.#startedAt, this.#jitter, waiter.delays);
    return this.#pauseStartedAt + Math.max(paceMs, shortestPauseMs);
  }

  /** A poll after which the last one could not follow in time is left out; where the pause would be too long, it comes earlier. */
  #withTimeForLast({ delays, deadline, lastPollAt, lastPollMs }: Waiter, at: number): number {
    const { minDelayMs, maxDelayMs } = delays;
    const isAsked = this.#askedUntil !== undefined;
    // A service that takes longer than there is for the last poll is not going to answer that one.
    const tripMs = this.#sentAt === notYet ? 0 : Math.min(this.#endedAt - this.#sentAt, lastPollMs);
    const soonestMs = tripMs + (isAsked ? shortestRetryAfterMs : minDelayMs);
    if (at + soonestMs < deadline) return at;
    const earlier = Math.max(lastPollAt - soonestMs, this.#pauseStartedAt + minDelayMs);
    const isTooLong = lastPollAt - this.#pauseStartedAt > maxDelayMs;
    return isTooLong && !isAsked && earlier + soonestMs < deadline ? earlier : never;
  }

  get #pauseStartedAt(): number {
    return Math.max(this.#startedAt, this.#endedAt);
  }

  /** An endless pause, too, begins with the poll before it. */
  #pauseEnd(pauseMs: number): number {
    return this.#endedAt === notYet ? notYet : this.#endedAt + pauseMs;
  }
}
