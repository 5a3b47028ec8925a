import { ApiError } from "../errors/errors.js";
import { jobFailed, jobTimedOut, ownError } from "../errors/job-errors.js";
import type { CallObserver, RequestOptions } from "../options/options.js";
import { after, type Clock, resolutionMs } from "../time/clock.js";
import type { FailedJob, Job } from "../types.js";
import type { Gate, Poller } from "./gate.js";
import { endOf } from "./is-terminal.js";
import type { JobMemory } from "./job-memory.js";
import type { LearnedPlan } from "./learn/learned-plan.js";
import { drawJitter, type PollDelays, shortestPauseMs, shortestRetryAfterMs } from "./poll-delay.js";
import type { Waiter } from "./waiter.js";

/** How a wait asks the service. It is passed in so that this room does not depend on requests. */
export interface JobSource {
  /** Sends one poll. */
  poll(
    jobId: string,
    options: RequestOptions,
    observer: CallObserver,
  ): Promise<{ job: Job; retryAfterMs: number | undefined }>;
  /** Whether to go on polling after this failure, for a job that this client created `ageMs` ago. */
  passes(error: unknown, ageMs: number): boolean;
}

/** What the streams of a client share. */
export interface StreamHost extends JobSource {
  /** By job id, or by the headers object for waits with their own headers. */
  readonly streams: Map<unknown, PollStream>;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly memory: JobMemory;
}

const never = Number.POSITIVE_INFINITY;
const notYet = Number.NEGATIVE_INFINITY;

/** So long after it was sent, a poll counts as hanging: it takes up no place, and is given up for a last poll. */
const hungAfterMs = 3000;

/** The polls of one job: one timer, one poll at a time, and all who wait for the job. All times are the clock's. */
export class PollStream implements Poller, CallObserver {
  readonly #waiters = new Set<Waiter>();
  readonly #plan: LearnedPlan;
  /** When the job began, as far as known. */
  readonly #startedAt: number;
  /** When the job was last known to be unfinished; before the first poll, when the first wait began. */
  #unfinishedAt: number;

  /** The poll in flight, or on its way to be sent. */
  #poll: AbortController | undefined;
  /** How many requests that poll has sent: two if the key was rotated. */
  #requests = 0;
  #isHung = false;
  #sentAt = notYet;
  #endedAt = notYet;
  /** Until when the last answer asked to wait. */
  #askedUntil: number | undefined;
  /**
   * Drawn once for each pause, but not before the first request: Next.js rejects pages that draw random numbers before
   * they fetch data (https://nextjs.org/docs/messages/blocking-prerender-random).
   */
  #jitter: number | undefined;
  /** The job as last seen. */
  #job: Job | undefined;
  /** Why the last poll failed, if it did. */
  #failure: unknown;

  /** When the next poll is due. */
  #dueAt = never;
  /** Who wants that poll, which runs in the async context of that wait; `undefined` once that wait is over. */
  #wantedBy: Waiter | undefined;
  #cancelTimer = () => {};

  constructor(
    private readonly jobId: string,
    private readonly host: StreamHost,
    /** The waiters' own headers, sent in addition to the client's. */
    private readonly headers?: Record<string, string>,
  ) {
    this.#unfinishedAt = host.clock.now();
    this.#startedAt = host.memory.acceptedAt(jobId) ?? this.#unfinishedAt;
    this.#plan = host.memory.planFor(jobId);
    host.streams.set(headers ?? jobId, this);
  }

  /** Adds a wait, which ends here: by the job, a failure or its deadline. */
  join(waiter: Waiter): void {
    if (this.#refusedUntil > waiter.deadline) return waiter.end(ownError(this.#failure, this.jobId));
    this.#waiters.add(waiter);
    waiter.whenOver(() => this.#leave(waiter));
    const leftMs = Math.max(waiter.deadline - this.host.clock.now(), 0);
    waiter.whenOver(after(this.host.clock, leftMs, () => this.#expire(waiter)));
    if (this.#poll) waiter.polls = this.#requests;
    this.#schedule([waiter]);
  }

  /** Ends all waits without settling them. */
  abandon(): void {
    for (const waiter of this.#waiters) waiter.leave();
  }

  /** When a waiter wants the next poll; `Infinity` for none before its deadline. */
  #nextFor({ delays, polls, isEager, startedAt, deadline, lastPollAt, lastPollMs }: Waiter): number {
    if (this.#sentAt + resolutionMs > lastPollAt) return never;
    if (this.#poll) return this.#isHung ? lastPollAt : never;
    const { minDelayMs, maxDelayMs } = delays;
    const pauseEnd = (ms: number) => (this.#endedAt === notYet ? startedAt : this.#endedAt + ms);
    const last = Math.max(lastPollAt, this.#refusedUntil, pauseEnd(Math.min(minDelayMs, lastPollMs)));
    // Without a deadline, there is no last poll.
    if (last >= deadline && deadline < never) return never;
    if (this.#askedUntil !== undefined) return Math.min(this.#askedUntil, last);
    if (isEager && polls === 0) return Math.min(pauseEnd(minDelayMs), last);
    const from = Math.max(this.#startedAt, this.#endedAt);
    const at = from + this.#paceMs(from, delays);
    if (at + minDelayMs <= last) return at;
    // A poll that leaves no pause before the last one is left out, or comes earlier if the pause would get too long.
    const isTooLong = last - from > maxDelayMs && last - from >= 2 * minDelayMs;
    return isTooLong ? last - minDelayMs : last;
  }

  /** How long the plan pauses after `from`, in milliseconds. */
  #paceMs(from: number, delays: PollDelays): number {
    this.#jitter ??= drawJitter();
    return Math.max(this.#plan.delayMs(from - this.#startedAt, this.#jitter, delays), shortestPauseMs);
  }

  /** Until when a refusal asked to wait. */
  get #refusedUntil(): number {
    return this.#failure === undefined ? notYet : (this.#askedUntil ?? notYet);
  }

  /** Sets the timer to the earliest poll that one of the waiters wants. */
  #schedule(waiters: Iterable<Waiter> = this.#waiters): void {
    const before = this.#dueAt;
    for (const waiter of waiters) {
      const at = this.#nextFor(waiter);
      if (at >= this.#dueAt) continue;
      this.#dueAt = at;
      this.#wantedBy = waiter;
    }
    if (this.#dueAt === before) return;
    const leftMs = this.#dueAt - this.host.clock.now();
    if (leftMs <= 0) this.#enter();
    else this.#setTimer(leftMs, () => this.#enter());
  }

  #setTimer(ms: number, ring: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = after(this.host.clock, ms, ring);
  }

  #enter(): void {
    // A poll that hangs must not cost the last one.
    this.#giveUpPoll();
    this.host.gate.enter(this);
  }

  start(): boolean {
    const waiter = this.#wantedBy;
    this.#dueAt = never;
    this.#cancelTimer();
    const now = this.host.clock.now();
    if (waiter === undefined) this.#schedule();
    // Where the process was held up, a poll and the deadlines are due together.
    else if ([...this.#waiters].some(({ deadline }) => deadline > now)) {
      waiter.context.runInAsyncScope(() => this.#ask());
    }
    return this.#poll !== undefined;
  }

  #ask(): void {
    const poll = new AbortController();
    this.#poll = poll;
    this.#requests = 0;
    this.host.poll(this.jobId, { signal: poll.signal, headers: this.headers }, this).then(
      ({ job, retryAfterMs }) => this.#poll === poll && this.#answered(job, retryAfterMs),
      (error) => this.#poll === poll && this.#failed(error),
    );
  }

  /** Called when a request is sent, which may be long after the poll was due: a call may wait after a 429. */
  onSend(): void {
    this.#requests++;
    this.#sentAt = this.host.clock.now();
    // A poll at a time set by the service reveals that time, not how long jobs take.
    if (this.#askedUntil !== undefined) this.#unfinishedAt = never;
    for (const waiter of this.#waiters) waiter.polls++;
    this.#setTimer(hungAfterMs, () => {
      this.#isHung = true;
      this.host.gate.leave(this);
      this.#schedule();
    });
  }

  get listeners(): CallObserver["listeners"] {
    return [...this.#waiters].map(({ onResponse }) => onResponse).filter((one) => one !== undefined);
  }

  #answered(job: Job, askedMs: number | undefined): void {
    this.#failure = undefined;
    this.#endPoll(askedMs);
    this.#job = job;
    // Decided before any `onUpdate` can change the job, which all waiters share.
    const end = endOf(job);
    const waiters = [...this.#waiters];
    if (end === undefined) {
      this.#unfinishedAt = this.#sentAt;
      // The `onUpdate` of one waiter may end the wait of another.
      for (const waiter of waiters) if (this.#waiters.has(waiter)) waiter.update(job);
      this.#schedule();
      return;
    }
    this.#plan.learn(this.#unfinishedAt - this.#startedAt, this.#sentAt - this.#startedAt);
    for (const waiter of waiters) waiter.leave();
    for (const waiter of waiters) {
      waiter.update(job);
      waiter.end(end === "failed" ? jobFailed(this.jobId, job as FailedJob) : undefined, job);
    }
  }

  #failed(error: unknown): void {
    this.#failure = error;
    const now = this.#endPoll(error instanceof ApiError ? error.retryAfterMs : undefined);
    const ageMs = now - (this.host.memory.acceptedAt(this.jobId) ?? notYet);
    const isFinal = !this.host.passes(error, ageMs);
    const waiters = [...this.#waiters].filter(({ deadline }) => isFinal || this.#refusedUntil > deadline);
    for (const waiter of waiters) waiter.end(ownError(error, this.jobId));
    this.#schedule();
  }

  #endPoll(askedMs?: number): number {
    const now = this.host.clock.now();
    this.#poll = undefined;
    this.#isHung = false;
    this.#endedAt = now;
    this.#jitter = undefined;
    this.#askedUntil = askedMs === undefined ? undefined : now + Math.max(askedMs, shortestRetryAfterMs);
    this.#dueAt = never;
    this.#cancelTimer();
    this.host.gate.leave(this);
    return now;
  }

  #giveUpPoll(): void {
    const poll = this.#poll;
    if (poll === undefined) return;
    this.#endPoll();
    poll.abort("nobody waits for this answer any longer");
  }

  #expire(waiter: Waiter): void {
    const { polls, startedAt } = waiter;
    const elapsedMs = this.host.clock.now() - startedAt;
    waiter.end(jobTimedOut(this.jobId, { job: this.#job, polls, elapsedMs, cause: this.#failure }));
  }

  #leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#wantedBy === waiter) this.#wantedBy = undefined;
    if (this.#waiters.size > 0) return;
    this.#giveUpPoll();
    this.#cancelTimer();
    this.host.gate.leave(this);
    this.host.streams.delete(this.headers ?? this.jobId);
  }
}
