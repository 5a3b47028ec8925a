import { ApiError } from "../errors/errors.js";
import { jobFailed, jobTimedOut, ownError } from "../errors/job-errors.js";
import type { CallObserver, RequestOptions } from "../options/options.js";
import type { Clock } from "../time/clock.js";
import type { Timeline } from "../time/timeline.js";
import type { FailedJob, Job } from "../types.js";
import { isTerminal } from "./is-terminal.js";
import type { LearnedPlan } from "./learn/learned-plan.js";
import type { Poller, PollOutcome, PollQueue } from "./poll-queue.js";
import { PollTimes } from "./poll-times.js";
import type { SharedPolls, Waiter } from "./waiter.js";

/** How a wait asks the service: handed in, so that waiting knows nothing of requests. */
export interface JobSource {
  /** Asks once. */
  poll(
    jobId: string,
    options: RequestOptions,
    observer: CallObserver,
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
  /** What was learned of jobs like this one. */
  planFor(jobId: string): LearnedPlan;
  /** Called once nobody waits any longer. */
  closed(stream: PollStream): void;
}

const never = Number.POSITIVE_INFINITY;

/** The polls of one job, shared by all who wait for it. */
export class PollStream implements Poller, SharedPolls, CallObserver {
  readonly jobId: string;
  /** Of those who wait, beside the client's. */
  readonly headers: Record<string, string> | undefined;
  dueAt = never;
  place = -1;
  readonly #host: StreamHost;
  readonly #times: PollTimes;
  #waiters: Waiter[] = [];
  #poll: AbortController | undefined;
  /** Requests of the present poll: two where the key was rotated. */
  #requests = 0;
  /** For whom the next poll is planned, unless somebody has left since: it goes out in that one's async context. */
  #wantedBy: Waiter | undefined;
  /** As it was last seen. */
  #job: Job | undefined;
  /** Why the last poll failed, where it did. */
  #failure: unknown;

  constructor(jobId: string, host: StreamHost, headers?: Record<string, string>) {
    this.jobId = jobId;
    this.headers = headers;
    this.#host = host;
    const now = host.clock.now();
    this.#times = new PollTimes(host.planFor(jobId), host.acceptedAt(jobId) ?? now, now);
  }

  join(waiter: Waiter): void {
    const { timeline, queue, clock } = this.#host;
    if (this.#times.refusedUntil > waiter.deadline) {
      waiter.end(ownError(this.#failure, this.jobId));
      return;
    }
    waiter.shared = this;
    // Most jobs have a single waiter, and a list that has grown by one has room for many.
    if (this.#waiters.length === 0) this.#waiters = [waiter];
    else waiter.index = this.#waiters.push(waiter) - 1;
    timeline.set(waiter, this.#times.lastFor(waiter));
    if (this.#poll) {
      waiter.polls = this.#requests;
      return;
    }
    const now = clock.now();
    this.#planFor(waiter, now);
    queue.start(now);
  }

  leave(waiter: Waiter): void {
    const last = this.#waiters.pop() as Waiter;
    if (last !== waiter) this.#waiters[waiter.index] = last;
    last.index = waiter.index;
    this.#wantedBy = undefined;
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

  /** The time of a waiter's last poll has come, or its deadline. */
  wake(waiter: Waiter, now: number): void {
    const { timeline, queue } = this.#host;
    const { deadline, polls, startedAt } = waiter;
    if (now >= deadline) {
      const elapsedMs = now - startedAt;
      waiter.end(jobTimedOut(this.jobId, { job: this.#job, polls, elapsedMs, cause: this.#failure }));
      return;
    }
    timeline.set(waiter, deadline);
    if (this.#poll) {
      // What follows a poll under way is planned when that ends, but one that hangs must not cost the last poll.
      if (!this.#hangs(now)) return;
      this.#abandonPoll();
    }
    if (queue.addLast(this, deadline)) this.#wantedBy = waiter;
    queue.start(now);
  }

  /** Polls, unless the one who wanted it has left, or is about to. */
  start(now: number): void {
    // After a time without a turn of the event loop, the poll and the deadline are due together.
    if (this.#waiters.every(({ deadline }) => deadline <= now)) return;
    if (this.#wantedBy) this.#wantedBy.run(() => this.#ask(now));
    else this.#plan(now);
  }

  #ask(now: number): void {
    const poll = new AbortController();
    this.#poll = poll;
    this.#requests = 0;
    this.#host.queue.begin(this, now);
    this.#host.poll(this.jobId, { signal: poll.signal, headers: this.headers }, this).then(
      ({ job, retryAfterMs }) => this.#poll === poll && this.#answered(job, retryAfterMs),
      (error) => this.#poll === poll && this.#failed(error),
    );
  }

  onSend(): void {
    this.#requests++;
    this.#times.sent(this.#host.clock.now());
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
      // Asked before the job, which all share, is handed to anybody's `onUpdate`.
      const hasFailed = job.status === "failed";
      for (const waiter of waiters) waiter.leave();
      for (const waiter of waiters) {
        waiter.update(job);
        waiter.end(hasFailed ? jobFailed(this.jobId, job as FailedJob) : undefined, job);
      }
      return;
    }
    for (const waiter of waiters) {
      // What one of them does in its `onUpdate` may end the wait of another.
      if (waiter.shared === this) waiter.update(job);
    }
    this.#plan(now);
  }

  #failed(error: unknown): void {
    const askedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    const now = this.#end({ error }, askedMs);
    this.#failure = error;
    const ageMs = now - (this.#host.acceptedAt(this.jobId) ?? Number.NEGATIVE_INFINITY);
    const isFinal = !this.#host.passes(error, ageMs);
    const { refusedUntil } = this.#times;
    const leaving = this.#waiters.filter(({ deadline }) => isFinal || refusedUntil > deadline);
    for (const waiter of leaving) waiter.end(ownError(error, this.jobId));
    this.#plan(now);
  }

  #end(outcome: PollOutcome, askedMs?: number): number {
    const now = this.#host.clock.now();
    this.#poll = undefined;
    this.#times.ended(now, askedMs, outcome);
    this.#host.queue.end(this, this.#times.sentAt, now, outcome);
    return now;
  }

  /** Asks for the next poll and for the last ones, as all who wait want them. */
  #plan(now: number): void {
    for (const waiter of this.#waiters) {
      this.#host.timeline.set(waiter, this.#times.lastFor(waiter));
      this.#planFor(waiter, now);
    }
  }

  #planFor(waiter: Waiter, now: number): void {
    const at = this.#times.nextFor(waiter, now);
    if (this.#host.queue.add(this, at, waiter.polls === 0)) this.#wantedBy = waiter;
  }

  /** Nothing of it is left behind: no place in the queue, no request. */
  #close(): void {
    this.#abandonPoll();
    this.#host.queue.delete(this);
    this.#host.closed(this);
  }

  /** Whether the poll under way was sent, and so long ago that it takes no place in the queue any more. */
  #hangs(now: number): boolean {
    return this.#requests > 0 && this.dueAt <= now;
  }

  #abandonPoll(): void {
    const poll = this.#poll;
    if (poll === undefined) return;
    this.#end("abandoned");
    poll.abort("nobody waits for this answer any longer");
  }
}
