import { ApiError } from "../errors/errors.js";
import { jobFailed, jobTimedOut, ownError } from "../errors/job-errors.js";
import type { CallObserver, RequestOptions } from "../options/options.js";
import { type Clock, resolutionMs } from "../time/clock.js";
import type { Timeline } from "../time/timeline.js";
import type { FailedJob, Job } from "../types.js";
import { isTerminal } from "./is-terminal.js";
import type { JobMemory } from "./job-memory.js";
import type { Poller, PollOutcome, PollQueue } from "./poll-queue.js";
import { PollTimes } from "./poll-times.js";
import type { SharedPolls, Waiter } from "./waiter.js";

/** The answer to a poll. */
type Polled = { job: Job; retryAfterMs: number | undefined };

/** How a wait asks the service. It is passed in so that this room does not depend on requests. */
export interface JobSource {
  /** Sends one poll. */
  poll(jobId: string, options: RequestOptions, observer: CallObserver): Promise<Polled>;
  /** Whether to go on polling after this failure, for a job that this client created `ageMs` ago. */
  passes(error: unknown, ageMs: number): boolean;
}

/** What waits share: one stream of polls for each job, one queue for all polls, and one timer. */
export interface StreamHost extends JobSource {
  /** Keyed by job id, or by the headers object for waits with their own headers. */
  readonly streams: Map<unknown, PollStream>;
  readonly clock: Clock;
  /** What was learned since the mock was last reset. */
  readonly plans: JobMemory["plans"];
  readonly timeline: Timeline;
  readonly queue: PollQueue;
  readonly memory: JobMemory;
}

/** The polls of one job, shared by all its waiters. */
export class PollStream implements Poller, SharedPolls, CallObserver {
  dueAt = Number.POSITIVE_INFINITY;
  place = -1;
  readonly #times: PollTimes;
  #waiters: Waiter[] = [];
  #poll: AbortController | undefined;
  /** How many requests the current poll has made: two if the key was rotated. */
  #requests = 0;
  /** The waiter whose async context the next poll runs in. Unset once any waiter has left. */
  #wantedBy: Waiter | undefined;
  /** The job as last seen. */
  #job: Job | undefined;
  /** Why the last poll failed, if it did. */
  #failure: unknown;

  constructor(
    private readonly jobId: string,
    private readonly host: StreamHost,
    /** The waiters' own headers, sent in addition to the client's. */
    private readonly headers?: Record<string, string>,
  ) {
    const now = host.clock.now();
    this.#times = new PollTimes(host.memory.planFor(jobId), host.memory.acceptedAt(jobId) ?? now, now);
    host.streams.set(headers ?? jobId, this);
  }

  join(waiter: Waiter): void {
    const { timeline, queue, clock } = this.host;
    if (this.#times.refusedUntil > waiter.deadline) {
      waiter.end(ownError(this.#failure, this.jobId));
      return;
    }
    waiter.shared = this;
    // Most jobs have a single waiter, and `push` would allocate room for many.
    if (this.#waiters.length === 0) this.#waiters = [waiter];
    else waiter.index = this.#waiters.push(waiter) - 1;
    timeline.add(waiter, this.#times.lastFor(waiter));
    if (this.#poll) waiter.polls = this.#requests;
    else {
      const now = clock.now();
      this.#plan(now, [waiter]);
      queue.start(now);
    }
  }

  leave(waiter: Waiter): void {
    const last = this.#waiters.pop() as Waiter;
    if (last !== waiter) this.#waiters[waiter.index] = last;
    last.index = waiter.index;
    this.#wantedBy = undefined;
    this.host.timeline.delete(waiter);
    if (this.#waiters.length > 0) return;
    this.#abandonPoll();
    this.host.queue.delete(this);
    this.host.streams.delete(this.headers ?? this.jobId);
  }

  /** Removes all waiters without settling their waits. */
  abandon(): void {
    for (const waiter of [...this.#waiters]) waiter.leave();
  }

  /** Ends all waits with an error. */
  fail(error: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.end(ownError(error, this.jobId));
  }

  /** Called at the time of a waiter's last poll, and at its deadline. */
  wake(waiter: Waiter, now: number): void {
    const { timeline, queue } = this.host;
    const { deadline, polls, startedAt } = waiter;
    // Where the event loop was blocked over the deadline, an answer may have arrived that nobody could read. `after`
    // gives a late timer a turn for that, but not one that was set without a delay, as for the start of a poll.
    if (this.#poll && now > deadline + resolutionMs && waiter.dueAt <= deadline) {
      timeline.set(waiter, now);
      return;
    }
    if (now >= deadline) {
      const elapsedMs = now - startedAt;
      waiter.end(jobTimedOut(this.jobId, { job: this.#job, polls, elapsedMs, cause: this.#failure }));
      return;
    }
    timeline.set(waiter, deadline);
    // Further polls are planned when the current one ends, but one that hangs must not cost the last poll.
    if (this.#poll && this.dueAt > now) return;
    this.#abandonPoll();
    if (queue.addLast(this, deadline)) this.#wantedBy = waiter;
    queue.start(now);
  }

  /** Polls, unless the waiter that wanted the poll has left, or all waits are at their deadlines. */
  start(now: number): void {
    // If the event loop was blocked, the poll and the deadline are due together.
    if (this.#waiters.every(({ deadline }) => deadline <= now)) return;
    if (this.#wantedBy) this.#wantedBy.context.runInAsyncScope(() => this.#ask(now));
    else this.#plan(now);
  }

  #ask(now: number): void {
    const poll = new AbortController();
    this.#poll = poll;
    this.#requests = 0;
    this.host.queue.begin(this, now);
    this.host.poll(this.jobId, { signal: poll.signal, headers: this.headers }, this).then(
      ({ job, retryAfterMs }) => this.#poll === poll && this.#answered(job, retryAfterMs),
      (error) => this.#poll === poll && this.#failed(error),
    );
  }

  onSend(): void {
    this.#requests++;
    this.#times.sent(this.host.clock.now());
    for (const waiter of this.#waiters) waiter.polls++;
  }

  get listeners(): CallObserver["listeners"] {
    return this.#waiters.map(({ onResponse }) => onResponse).filter((one) => one !== undefined);
  }

  #answered(job: Job, askedMs: number | undefined): void {
    const now = this.#end(isTerminal(job) ? "ended" : "unfinished", askedMs);
    this.#job = job;
    this.#failure = undefined;
    const waiters = [...this.#waiters];
    if (isTerminal(job)) {
      // Determined before any `onUpdate` can change the job, which all waiters share.
      const hasFailed = job.status === "failed";
      for (const waiter of waiters) waiter.leave();
      for (const waiter of waiters) {
        waiter.update(job);
        waiter.end(hasFailed ? jobFailed(this.jobId, job as FailedJob) : undefined, job);
      }
      return;
    }
    // The `onUpdate` of one waiter may end the wait of another.
    for (const waiter of waiters) if (waiter.shared === this) waiter.update(job);
    this.#plan(now);
  }

  #failed(error: unknown): void {
    const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    const now = this.#end({ error }, askedMs);
    this.#failure = error;
    const ageMs = now - (this.host.memory.acceptedAt(this.jobId) ?? Number.NEGATIVE_INFINITY);
    const isFinal = !this.host.passes(error, ageMs);
    const leaving = this.#waiters.filter(({ deadline }) => isFinal || this.#times.refusedUntil > deadline);
    for (const waiter of leaving) waiter.end(ownError(error, this.jobId));
    this.#plan(now);
  }

  #end(outcome: PollOutcome, askedMs?: number): number {
    const now = this.host.clock.now();
    this.#poll = undefined;
    this.#times.ended(now, askedMs, outcome);
    this.host.queue.end(this, this.#times.sentAt, now, outcome);
    return now;
  }

  /** Schedules the next poll, and the last poll of each waiter. */
  #plan(now: number, waiters = this.#waiters): void {
    const { timeline, queue } = this.host;
    for (const waiter of waiters) {
      timeline.set(waiter, this.#times.lastFor(waiter));
      const at = this.#times.nextFor(waiter, now);
      if (queue.add(this, at, waiter.polls === 0)) this.#wantedBy = waiter;
    }
  }

  #abandonPoll(): void {
    const poll = this.#poll;
    if (poll === undefined) return;
    this.#end("abandoned");
    poll.abort("nobody waits for this answer any longer");
  }
}
