import { ApiError, type JobTimeoutError } from "../errors/errors.js";
import { jobTimedOut, ownError } from "../errors/job-errors.js";
import type { Clock } from "../time/clock.js";
import type { Timeline } from "../time/timeline.js";
import type { Job } from "../types.js";
import { isTerminal } from "./is-terminal.js";
import type { LearnedPlan } from "./learn/learned-plan.js";
import type { Poller, PollQueue } from "./poll-queue.js";
import { PollTimes } from "./poll-times.js";
import type { Waiter, WaitingRoom } from "./waiter.js";

/** How a wait asks the service: handed in, so that waiting knows nothing of requests. */
export interface JobSource {
  /** Asks once; calls `onSend` for each request that this takes. */
  poll(
    jobId: string,
    signal: AbortSignal,
    onSend: () => void,
  ): Promise<{ job: Job; retryAfterMs: number | undefined }>;
  /** Whether polling again after this failure is right, for a job that this client created `ageMs` ago. */
  passes(error: unknown, ageMs: number): boolean;
}

/** What a stream of polls stands on. */
export interface StreamHost extends JobSource {
  readonly clock: Clock;
  readonly timeline: Timeline;
  readonly queue: PollQueue;
  /** When this client created the job, on the clock's time; `undefined` for another's. */
  acceptedAt(jobId: string): number | undefined;
  /** What knows when to look at a job like this one. */
  planFor(jobId: string): LearnedPlan;
  /** Called once nobody waits any longer. */
  closed(stream: PollStream): void;
}

const never = Number.POSITIVE_INFINITY;

/** The polls of one job, shared by all who wait for it. */
export class PollStream implements Poller, WaitingRoom {
  readonly jobId: string;
  dueAt = never;
  place = -1;
  readonly #host: StreamHost;
  #waiters: Waiter[] = [];
  readonly #times: PollTimes;
  readonly #learned: LearnedPlan;
  #polls = 0;
  #poll: AbortController | undefined;
  /** Requests of the present poll: two where the key was rotated. */
  #requests = 0;
  /** Whether somebody left since the next poll was planned. */
  #hasChanged = false;
  #job: Job | undefined;
  /** Why the last poll failed, where it did. */
  #failure: unknown;

  constructor(jobId: string, host: StreamHost) {
    this.jobId = jobId;
    this.#host = host;
    const now = host.clock.now();
    this.#times = new PollTimes(host.acceptedAt(jobId) ?? now, now);
    this.#learned = host.planFor(jobId);
  }

  join(waiter: Waiter): void {
    const { timeline, queue, clock } = this.#host;
    waiter.room = this;
    // Most jobs have a single waiter, and a list that has grown by one has room for many.
    if (this.#waiters.length === 0) this.#waiters = [waiter];
    else this.#waiters.push(waiter);
    timeline.set(waiter, waiter.lastLookAt);
    if (this.#poll) {
      waiter.polls = this.#requests;
      return;
    }
    const now = clock.now();
    queue.set(this, Math.min(this.place < 0 ? never : this.dueAt, this.#nextFor(waiter, now)));
    queue.startNow(this, now);
  }

  leave(waiter: Waiter): void {
    const place = this.#waiters.indexOf(waiter);
    if (place < 0) return;
    this.#waiters.splice(place, 1);
    this.#hasChanged = true;
    this.#host.timeline.delete(waiter);
    if (this.#waiters.length === 0) this.#close();
  }

  /** Lets all who wait go, without a word. */
  abandon(): void {
    for (const waiter of [...this.#waiters]) waiter.leave();
  }

  /** Ends the wait of all with an error. */
  fail(error: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.end(ownError(error, this.jobId));
  }

  /** The time of a waiter's last look has come, or its deadline. */
  wake(waiter: Waiter, now: number): void {
    const { timeline, queue } = this.#host;
    if (now >= waiter.deadline) {
      waiter.end(this.#timeout(waiter, now));
      return;
    }
    const at = this.#poll ? never : this.#times.lastLookFor(waiter);
    timeline.set(waiter, at > now ? Math.min(at, waiter.deadline) : waiter.deadline);
    if (at > now) return;
    queue.setLast(this, waiter.deadline);
    queue.startNow(this, now);
  }

  /** Begins a poll, unless the one who wanted it has left, or is about to. */
  start(now: number): boolean {
    // After a time without a turn of the event loop, the poll and the deadline are due together.
    if (this.#waiters.every(({ deadline }) => deadline <= now)) return false;
    if (this.#hasChanged && this.#wantedAt(now) > now) {
      this.#plan(now);
      return false;
    }
    const poll = new AbortController();
    this.#poll = poll;
    this.#polls++;
    this.#requests = 0;
    const onSend = () => {
      if (this.#poll !== poll) return;
      this.#requests++;
      this.#times.sent(this.#host.clock.now());
      for (const waiter of this.#waiters) waiter.polls++;
    };
    this.#host.poll(this.jobId, poll.signal, onSend).then(
      ({ job, retryAfterMs }) => this.#poll === poll && this.#answered(job, retryAfterMs),
      (error) => this.#poll === poll && this.#failed(error),
    );
    return true;
  }

  #answered(job: Job, askedMs: number | undefined): void {
    const now = this.#end("answered");
    this.#job = job;
    this.#failure = undefined;
    this.#times.asked(now, askedMs, false);
    const waiters = [...this.#waiters];
    if (isTerminal(job)) {
      this.#learned.learn(...this.#times.endedBetweenMs);
      for (const waiter of waiters) waiter.leave();
      for (const waiter of waiters) {
        waiter.see(job);
        waiter.end(undefined, job);
      }
      return;
    }
    this.#times.unfinished();
    for (const waiter of waiters) {
      // What one of them does in its `onUpdate` may end the wait of another.
      if (waiter.room === this) waiter.see(job);
    }
    this.#plan(now);
  }

  #failed(error: unknown): void {
    const now = this.#end({ error });
    const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    this.#failure = error;
    this.#times.asked(now, askedMs, true);
    const isFinal = !this.#host.passes(
      error,
      now - (this.#host.acceptedAt(this.jobId) ?? Number.NEGATIVE_INFINITY),
    );
    const leaving = this.#waiters.filter(({ deadline }) => isFinal || now + (askedMs ?? 0) > deadline);
    for (const waiter of leaving) waiter.end(ownError(error, this.jobId));
    this.#plan(now);
  }

  #end(outcome: Parameters<PollQueue["end"]>[3]): number {
    const now = this.#host.clock.now();
    this.#poll = undefined;
    this.#times.ended(now);
    this.#host.queue.end(this, this.#times.sentAt, now, outcome);
    return now;
  }

  /** Asks for the next poll, as all who wait want it. */
  #plan(now: number): void {
    const { timeline, queue } = this.#host;
    this.#hasChanged = false;
    for (const waiter of this.#waiters) {
      // The last look may have been missed while the last poll was under way.
      if (now >= waiter.lastLookAt) timeline.set(waiter, this.#times.lastLookFor(waiter));
    }
    const at = this.#wantedAt(now);
    if (at === never) queue.delete(this);
    else queue.set(this, at);
  }

  #wantedAt(now: number): number {
    let at = never;
    for (const waiter of this.#waiters) {
      const isLast = now >= waiter.lastLookAt && now >= this.#times.lastLookFor(waiter);
      at = Math.min(at, isLast ? now : this.#nextFor(waiter, now));
    }
    return at;
  }

  #nextFor(waiter: Waiter, now: number): number {
    const elapsedMs = this.#times.pauseStartedAt - this.#times.startedAt;
    const paceMs = this.#learned.delayMs(elapsedMs, jitter(this.jobId, this.#polls), waiter);
    return this.#times.nextFor(waiter, paceMs, now);
  }

  #timeout(waiter: Waiter, now: number): JobTimeoutError {
    return jobTimedOut(this.jobId, {
      job: this.#job,
      polls: waiter.polls,
      elapsedMs: now - waiter.startedAt,
      cause: this.#failure,
    });
  }

  /** Nothing of it is left behind: no place in the queue, no request. */
  #close(): void {
    const { queue } = this.#host;
    const poll = this.#poll;
    if (poll) {
      this.#end("left");
      poll.abort("nobody waits for the job any longer");
    }
    queue.delete(this);
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
