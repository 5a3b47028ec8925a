import type { LearnedPlan } from "./learned-plan.js";
import { drawJitter, type PollDelays, shortestPauseMs } from "./poll-delay.js";
import type { Waiter } from "./waiter.js";

/** No poll before the deadline. */
export const never = Number.POSITIVE_INFINITY;
/** No poll until now. */
export const notYet = Number.NEGATIVE_INFINITY;

/** The polls of a job until now. All times are the clock's. */
export class PollHistory {
  /** When the last poll was due. */
  dueAt = notYet;
  sentAt = notYet;
  endedAt = notYet;
  /** The poll in flight, or on its way to be sent. */
  inFlight: AbortController | undefined;
  /** How many requests the last poll has sent: two if the key was rotated. */
  requests = 0;
  /** Whether that poll may never be answered, since it was sent so long ago. */
  isHung = false;
  /** When the last answer asked to be polled again. */
  askedUntil: number | undefined;
  /** Why the last poll failed, if it did. */
  failure: unknown;
  #jitter: number | undefined;

  constructor(
    private readonly plan: LearnedPlan,
    /** When the job began, as far as known. */
    readonly startedAt: number,
    /** When the job was last known to be unfinished; before the first poll, when the first wait began. */
    private unfinishedAt: number,
  ) {}

  /** When a failure asked to be polled again. */
  get refusedUntil(): number {
    return this.failure === undefined ? notYet : (this.askedUntil ?? notYet);
  }

  begin(poll: AbortController): void {
    this.inFlight = poll;
    this.requests = 0;
  }

  send(now: number): void {
    this.requests++;
    // Timers may fire a fraction of a millisecond early.
    this.sentAt = Math.max(now, this.dueAt);
    // A poll at a time set by the service reveals that time, not how long jobs take.
    if (this.askedUntil !== undefined) this.unfinishedAt = never;
  }

  end(now: number, askedUntil: number | undefined): void {
    this.inFlight = undefined;
    this.endedAt = now;
    this.askedUntil = askedUntil;
    this.#jitter = undefined;
  }

  /** Learns from what the last poll has found. Call it before the next poll is sent. */
  learn(hasEnded: boolean): void {
    if (hasEnded) this.plan.learn(this.unfinishedAt - this.startedAt, this.sentAt - this.startedAt);
    else this.unfinishedAt = this.sentAt;
  }

  /** How long the plan pauses after `from`, in milliseconds. */
  paceMs(from: number, delays: PollDelays): number {
    // Not drawn before the first request: Next.js rejects pages that draw random numbers before they fetch data
    // (https://nextjs.org/docs/messages/blocking-prerender-random).
    this.#jitter ??= drawJitter();
    return Math.max(this.plan.delayMs(from - this.startedAt, this.#jitter, delays), shortestPauseMs);
  }
}

/**
 * When a waiter wants the next poll of a job: at the time the service asked for, or at the pace of the plan, and once
 * more shortly before the deadline.
 */
export function nextPollAt(waiter: Waiter, history: PollHistory): number {
  const { lastPollAt } = waiter;
  const { delays } = waiter.options;
  const { sentAt, endedAt, askedUntil } = history;
  if (sentAt >= lastPollAt) return never;
  if (history.inFlight) return history.isHung ? lastPollAt : never;

  // After a slow answer, the last poll comes only if the shortest delay leaves time for it.
  const unrefused = endedAt < lastPollAt ? lastPollAt : endedAt + delays.minDelayMs;
  const last = Math.max(unrefused, history.refusedUntil);
  if (askedUntil !== undefined) return Math.min(askedUntil, last);
  if (waiter.isEager && waiter.polls === 0) {
    const firstAt = endedAt === notYet ? waiter.startedAt : endedAt + delays.minDelayMs;
    return Math.min(firstAt, last);
  }
  const from = Math.max(history.startedAt, endedAt);
  const at = from + history.paceMs(from, delays);
  // The last poll takes the place of one that it would follow too soon.
  return at + delays.minDelayMs > last ? last : at;
}
