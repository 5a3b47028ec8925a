import type { LearnedPlan } from "./learn/learned-plan.js";
import type { PollOutcome } from "./poll-queue.js";
import type { Waiter } from "./waiter.js";

const never = Number.POSITIVE_INFINITY;
const notYet = Number.NEGATIVE_INFINITY;

/** The shortest pause for a `Retry-After`, since one of 0 would make polls spin. */
export const shortestRetryAfterMs = 20;

/** The shortest pause otherwise. With a pause of 0, a virtual clock would never advance. */
const shortestPauseMs = 1;

/** A random factor from 0.9 to 1.1, which spreads the polls of jobs that were created together. */
export const drawJitter = () => 0.9 + 0.2 * Math.random();

/**
 * Decides when a job is polled next (when the last answer asked for it, or else at the learned pace), and when it is
 * polled for the last time before a deadline. All times are the clock's.
 */
export class PollTimes {
  /** When the last poll was sent. */
  sentAt = notYet;
  #endedAt = notYet;
  /** The time until which the last answer asked to wait. */
  #askedUntil: number | undefined;
  #hasFailed = false;
  /**
   * Drawn once for each poll, but never before the first request: Next.js rejects pages that draw random numbers before
   * they fetch data (https://nextjs.org/docs/messages/blocking-prerender-random).
   */
  #jitter: number | undefined;

  constructor(
    private readonly plan: Pick<LearnedPlan, "delayMs" | "learn">,
    /** When the job started, as far as known. */
    private readonly startedAt: number,
    /** When the job was last known to be unfinished; before the first poll, when the first wait began. */
    private unfinishedAt: number,
  ) {}

  /** The time until which the last answer asked to wait, if that was a refusal. */
  get refusedUntil(): number {
    return this.#hasFailed ? (this.#askedUntil ?? notYet) : notYet;
  }

  /** Records that a poll was sent. */
  sent(now: number): void {
    this.sentAt = now;
    // A poll at a time set by the service reveals that time, not how long jobs take.
    if (this.#askedUntil !== undefined) this.unfinishedAt = never;
  }

  /** Records how a poll ended, and for how long its answer asked to wait. */
  ended(now: number, askedMs: number | undefined, outcome: PollOutcome): void {
    this.#endedAt = now;
    this.#askedUntil = askedMs === undefined ? undefined : now + Math.max(askedMs, shortestRetryAfterMs);
    this.#hasFailed = typeof outcome === "object";
    this.#jitter = drawJitter();
    if (outcome === "ended") {
      this.plan.learn(this.unfinishedAt - this.startedAt, this.sentAt - this.startedAt);
    } else if (outcome === "unfinished") this.unfinishedAt = this.sentAt;
  }

  /** When the next poll for a waiter is due; `Infinity` if only its last poll is left. */
  nextFor(waiter: Waiter, now: number): number {
    const isFirst = waiter.isEager && waiter.polls === 0;
    const at = this.#askedUntil ?? (isFirst ? this.#pauseEnd(waiter.delays.minDelayMs) : this.#paced(waiter));
    const soonest = Math.max(at, now);
    if (soonest >= waiter.lastPollAt) return never;
    return isFirst ? soonest : this.#withTimeForLast(waiter, at);
  }

  /** When the last poll for a waiter is due; its deadline if that poll was sent or can no longer be sent in time. */
  lastFor({ delays, lastPollMs, lastPollAt, deadline }: Waiter): number {
    if (this.sentAt >= lastPollAt) return deadline;
    const pauseEnd = this.#pauseEnd(delays.minDelayMs);
    // A pause that exceeds the rest of the wait is cut short.
    const soonest = pauseEnd < deadline ? pauseEnd : this.#pauseEnd(Math.min(delays.minDelayMs, lastPollMs));
    return Math.min(Math.max(lastPollAt, soonest, this.refusedUntil), deadline);
  }

  #paced(waiter: Waiter): number {
    this.#jitter ??= drawJitter();
    const paceMs = this.plan.delayMs(this.#pauseStartedAt - this.startedAt, this.#jitter, waiter.delays);
    return this.#pauseStartedAt + Math.max(paceMs, shortestPauseMs);
  }

  /** Skips a poll after which the last one could not follow in time, or moves it up if the pause would get too long. */
  #withTimeForLast({ delays, deadline, lastPollAt, lastPollMs }: Waiter, at: number): number {
    const { minDelayMs, maxDelayMs } = delays;
    const isAsked = this.#askedUntil !== undefined;
    // A service that takes longer than the time left for the last poll would not answer that poll in time anyway.
    const tripMs = this.sentAt === notYet ? 0 : Math.min(this.#endedAt - this.sentAt, lastPollMs);
    const soonestMs = tripMs + (isAsked ? shortestRetryAfterMs : minDelayMs);
    if (at + soonestMs < deadline) return at;
    const earlier = Math.max(lastPollAt - soonestMs, this.#pauseStartedAt + minDelayMs);
    const isTooLong = lastPollAt - this.#pauseStartedAt > maxDelayMs;
    return isTooLong && !isAsked && earlier + soonestMs < deadline ? earlier : never;
  }

  get #pauseStartedAt(): number {
    return Math.max(this.startedAt, this.#endedAt);
  }

  /** Without an earlier poll there is no pause, not even an infinite one. */
  #pauseEnd(pauseMs: number): number {
    return this.#endedAt === notYet ? notYet : this.#endedAt + pauseMs;
  }
}
