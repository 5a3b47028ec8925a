import type { LearnedPlan } from "./learn/learned-plan.js";
import { drawJitter, type PollDelays, shortestPauseMs } from "./poll-delay.js";
import type { Waiter } from "./waiter.js";

/** No poll before the deadline. */
export const never = Number.POSITIVE_INFINITY;
/** No poll until now. */
export const notYet = Number.NEGATIVE_INFINITY;

/** The polls of a job until now. All times are the clock's. */
export class PollHistory {
  /** When the last poll had its turn. */
  dueAt = notYet;
  sentAt = notYet;
  endedAt = notYet;
  /** The poll in flight, or on its way to be sent. */
  inFlight: AbortController | undefined;
  /** How many requests the last poll has sent: two if the key was rotated. */
  requests = 0;
  /** Whether that poll was sent so long ago that it may never be answered. */
  isHung = false;
  /** Until when the last answer asked to wait. */
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

  /** Until when a refusal asked to wait. */
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

/** When a waiter wants the next poll of a job: at the time the service asked for, or at the pace of the plan. */
export function nextPollAt(waiter: Waiter, history: PollHistory): number {
  const { lastPollAt, deadline } = waiter;
  const { delays } = waiter.options;
  const { sentAt, endedAt, startedAt, askedUntil } = history;
  if (sentAt >= lastPollAt) return never;
  if (history.inFlight) return history.isHung ? lastPollAt : never;
  const last = lastPollOf(waiter, history);
  // Without a deadline, there is no last poll.
  if (last >= deadline && deadline < never) return never;
  if (askedUntil !== undefined) return Math.min(askedUntil, last);
  if (waiter.isEager && waiter.polls === 0)
    return Math.min(pauseEnd(waiter, endedAt, delays.minDelayMs), last);
  const from = Math.max(startedAt, endedAt);
  const at = from + history.paceMs(from, delays);
  return at + delays.minDelayMs < deadline ? Math.min(at, last) : withTimeForLast(from, last, waiter);
}

/** When the last poll is due, at the earliest. */
function lastPollOf(waiter: Waiter, { endedAt, refusedUntil }: PollHistory): number {
  const { minDelayMs } = waiter.options.delays;
  // A pause that would outlast the wait is cut short.
  const isShort = pauseEnd(waiter, endedAt, minDelayMs) < waiter.deadline;
  const pauseMs = isShort ? minDelayMs : Math.min(minDelayMs, waiter.lastPollMs);
  return Math.max(waiter.lastPollAt, refusedUntil, pauseEnd(waiter, endedAt, pauseMs));
}

/** Before the first poll, there is no pause, not even an infinite one. */
function pauseEnd({ startedAt }: Waiter, endedAt: number, ms: number): number {
  return endedAt === notYet ? startedAt : endedAt + ms;
}

/** A poll that the last one could not follow is left out, or comes earlier if the pause would get too long. */
function withTimeForLast(from: number, last: number, { deadline, options }: Waiter): number {
  const { minDelayMs, maxDelayMs } = options.delays;
  const earlier = Math.max(last - minDelayMs, from + minDelayMs);
  return last - from > maxDelayMs && earlier + minDelayMs < deadline ? earlier : last;
}
