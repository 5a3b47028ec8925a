import type { Clock } from "./clock.js";
import {
  ApiError,
  ConnectionError,
  copyOf,
  JobTimeoutError,
  NotFoundError,
  ScreenshotSetsError,
  TimeoutError,
} from "./errors.js";
import { isTerminal } from "./is-terminal.js";
import { pollDelayMs } from "./poll-plan.js";
import { reachOf, retryAfterMs } from "./retry.js";
import type { Timeline } from "./timeline.js";
import type { Job } from "./types.js";

/** One who waits for a job: with a deadline and a pace of their own, on polls that are shared. */
export interface Waiter {
  readonly startedAt: number;
  /** On the clock's time. */
  readonly deadline: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Requests made while this one waited. */
  polls: number;
  /** The status seen last. */
  status: string | undefined;
  /** Called once per change of status, the terminal one included. */
  update(job: Job): void;
  /** Called once: with the terminal job, or with why the wait ended without one. */
  end(error: unknown, job?: Job): void;
}

/** What a stream of polls stands on. */
export interface StreamHost {
  readonly clock: Clock;
  readonly timeline: Timeline;
  /** Asks the service once. */
  poll(jobId: string, signal: AbortSignal): Promise<{ job: Job; headers: Headers }>;
  /** When this client created the job, on the clock's time; `undefined` for another's. */
  acceptedAt(jobId: string): number | undefined;
  /** Called once nobody waits any longer. */
  closed(stream: PollStream): void;
}

/** A `Retry-After` of 0 on a job's answer is no reason to spin. */
const shortestRetryAfterMs = 20;
/** How near before the deadline the last poll comes: this, or a tenth of a shorter wait. */
const lastPollWindowMs = 500;
/** A service of several machines may know a new job on one of them first. */
const notFoundGraceMs = 10_000;

/** The polls of one job, shared by all who wait for it. */
export class PollStream {
  readonly jobId: string;
  dueAt = Number.POSITIVE_INFINITY;
  place = -1;
  readonly #host: StreamHost;
  readonly #waiters: Waiter[] = [];
  readonly #startedAt: number;
  #pollAt = Number.POSITIVE_INFINITY;
  #polls = 0;
  #request: AbortController | undefined;
  #job: Job | undefined;
  #failure: unknown;

  constructor(jobId: string, host: StreamHost) {
    this.jobId = jobId;
    this.#host = host;
    this.#startedAt = host.acceptedAt(jobId) ?? host.clock.now();
  }

  /** @param atOnce whether the newcomer wants to know now, or can wait for its turn */
  join(waiter: Waiter, atOnce: boolean): void {
    this.#waiters.push(waiter);
    if (this.#request) {
      waiter.polls++;
    } else {
      const now = this.#host.clock.now();
      this.#pollAt = Math.min(this.#pollAt, atOnce ? now : this.#next(waiter, now));
    }
    this.#schedule();
  }

  leave(waiter: Waiter): void {
    const place = this.#waiters.indexOf(waiter);
    if (place < 0) return;
    this.#waiters.splice(place, 1);
    if (this.#waiters.length === 0) this.#close();
  }

  wake(now: number): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.deadline <= now) this.#end(waiter, this.#timeout(waiter, now));
    }
    if (this.#waiters.length === 0) return;
    if (this.#request === undefined && this.#pollAt <= now) this.#poll();
    this.#schedule();
  }

  #schedule(): void {
    let dueAt = this.#request ? Number.POSITIVE_INFINITY : this.#pollAt;
    for (const waiter of this.#waiters) dueAt = Math.min(dueAt, waiter.deadline);
    if (this.#waiters.length > 0) this.#host.timeline.set(this, dueAt);
  }

  #poll(): void {
    const request = new AbortController();
    this.#request = request;
    this.#polls++;
    for (const waiter of this.#waiters) waiter.polls++;
    this.#host.poll(this.jobId, request.signal).then(
      ({ job, headers }) => this.#request === request && this.#answered(job, headers),
      (error) => this.#request === request && this.#failed(error),
    );
  }

  #answered(job: Job, headers: Headers): void {
    this.#request = undefined;
    this.#job = job;
    this.#failure = undefined;
    const terminal = isTerminal(job);
    const waiters = [...this.#waiters];
    if (terminal) this.#close();
    for (const waiter of waiters) {
      if (waiter.status !== job.status) {
        waiter.status = job.status;
        waiter.update(job);
      }
      if (terminal) waiter.end(undefined, job);
    }
    if (!terminal) this.#plan(retryAfterMs(headers));
  }

  #failed(error: unknown): void {
    this.#request = undefined;
    this.#failure = error;
    const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    const resumeAt = this.#host.clock.now() + (askedMs ?? 0);
    const fatal = !this.#isTransient(error);
    const leaving = this.#waiters.filter((waiter) => fatal || resumeAt > waiter.deadline);
    for (const [index, waiter] of leaving.entries()) {
      this.#end(waiter, index > 0 && error instanceof ScreenshotSetsError ? copyOf(error) : error);
    }
    this.#plan(askedMs);
  }

  /** Whether the job may well go on behind a failure, so that looking again is right. */
  #isTransient(error: unknown): boolean {
    if (error instanceof ConnectionError) return reachOf(error.cause) !== "no network";
    if (error instanceof TimeoutError) return true;
    if (error instanceof NotFoundError) {
      const acceptedAt = this.#host.acceptedAt(this.jobId);
      return acceptedAt !== undefined && this.#host.clock.now() - acceptedAt <= notFoundGraceMs;
    }
    return error instanceof ApiError && (error.status === 408 || error.status === 429 || error.status >= 500);
  }

  #plan(askedMs: number | undefined): void {
    const now = this.#host.clock.now();
    this.#pollAt = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters)
      this.#pollAt = Math.min(this.#pollAt, this.#next(waiter, now, askedMs));
    this.#schedule();
  }

  /** When a waiter wants the next poll: by what the service asks or by pace, with one last look before the deadline. */
  #next(waiter: Waiter, now: number, askedMs?: number): number {
    const { minDelayMs, maxDelayMs, deadline, startedAt } = waiter;
    const soonest = askedMs === undefined ? minDelayMs : shortestRetryAfterMs;
    const delay = askedMs === undefined ? this.#paceMs(waiter, now) : Math.max(askedMs, shortestRetryAfterMs);
    const lastLook = deadline - Math.min(lastPollWindowMs, (deadline - startedAt) / 10);
    const at = now + Math.min(delay, Math.max(maxDelayMs, askedMs ?? 0));
    // A poll so near to the last look that none could follow it in time is put off to be the last look itself.
    if (at + soonest < deadline && at < lastLook) return at;
    const last = Math.max(lastLook, now + soonest);
    return last < deadline && now < lastLook ? last : Number.POSITIVE_INFINITY;
  }

  #paceMs({ minDelayMs, maxDelayMs }: Waiter, now: number): number {
    const pace =
      pollDelayMs(now - this.#startedAt, { minDelayMs, maxDelayMs }) * jitter(this.jobId, this.#polls);
    return Math.min(Math.max(pace, minDelayMs), maxDelayMs);
  }

  #timeout(waiter: Waiter, now: number): JobTimeoutError {
    const elapsedMs = now - waiter.startedAt;
    const { jobId } = this;
    const state = this.#job ? `it was ${this.#job.status} when last seen` : "no poll was answered";
    return new JobTimeoutError(
      `Job ${jobId} did not end within ${Math.round(elapsedMs)} ms: ${state}. It goes on: please wait for it again by its id.`,
      { jobId, job: this.#job, polls: waiter.polls, elapsedMs, cause: this.#failure },
    );
  }

  #end(waiter: Waiter, error: unknown): void {
    this.leave(waiter);
    waiter.end(error);
  }

  /** Nothing of it is left behind: no timer, no request. */
  #close(): void {
    this.#host.timeline.delete(this);
    this.#waiters.length = 0;
    this.#request?.abort("nobody waits for the job any longer");
    this.#request = undefined;
    this.#host.closed(this);
  }
}

/** Spreads the polls of many jobs: from 0.9 to 1.1, always the same for the same poll of the same job. */
function jitter(jobId: string, poll: number): number {
  let hash = 2166136261 ^ poll;
  for (let index = 0; index < jobId.length; index++) {
    hash = Math.imul(hash ^ jobId.charCodeAt(index), 16777619);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  return 0.9 + 0.2 * (((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32);
}
