import { ApiError } from "../errors/errors.js";
import { jobFailed, jobTimedOut, ownError } from "../errors/job-errors.js";
import type { CallObserver } from "../options/options.js";
import { after } from "../time/clock.js";
import type { FailedJob, Job } from "../types.js";
import type { Poller } from "./gate.js";
import { endOf } from "./is-terminal.js";
import type { WaitHost } from "./job-source.js";
import { never, nextPollAt, notYet, PollHistory } from "./next-poll.js";
import { shortestRetryAfterMs } from "./poll-delay.js";
import type { Waiter } from "./waiter.js";

/** A poll whose key or answer takes longer hangs: it takes up no place, and is given up for a last poll. */
const hungAfterMs = 3000;

/** The polls of one job: one timer, one poll at a time, and all who wait for the job. All times are the clock's. */
export class PollStream implements Poller, CallObserver {
  readonly #waiters = new Set<Waiter>();
  readonly #history: PollHistory;
  /** The job as last seen. */
  #job: Job | undefined;
  /** When the next poll is due. */
  #dueAt = never;
  #cancelTimer = () => {};

  constructor(
    private readonly jobId: string,
    /** The waiters' own headers, sent in addition to the client's. */
    private readonly headers: Record<string, string> | undefined,
    private readonly host: WaitHost,
    /** Called when nobody waits any more. */
    private readonly onEmpty: () => void,
  ) {
    const now = host.clock.now();
    this.#history = new PollHistory(host.memory.planFor(jobId), host.memory.acceptedAt(jobId) ?? now, now);
  }

  /** Adds a wait, which ends by the job, by a failure, or at its deadline. */
  join(waiter: Waiter): void {
    const { refusedUntil, failure, inFlight, requests } = this.#history;
    if (refusedUntil > waiter.deadline) {
      waiter.end(ownError(failure, this.jobId));
      return;
    }
    this.#waiters.add(waiter);
    waiter.whenOver(() => this.#leave(waiter));
    const leftMs = Math.max(waiter.deadline - this.host.clock.now(), 0);
    waiter.whenOver(after(this.host.clock, leftMs, () => this.#expire(waiter)));
    if (inFlight) waiter.polls = requests;
    this.#schedule([waiter]);
  }

  /** Ends all waits without settling them. */
  abandon(): void {
    for (const waiter of this.#waiters) waiter.leave();
  }

  /** Sets the timer to the earliest poll that one of the waiters wants. */
  #schedule(waiters: Iterable<Waiter> = this.#waiters): void {
    const before = this.#dueAt;
    for (const waiter of waiters) this.#dueAt = Math.min(this.#dueAt, nextPollAt(waiter, this.#history));
    if (this.#dueAt === before) return;
    const leftMs = this.#dueAt - this.host.clock.now();
    if (leftMs <= 0) this.host.gate.enter(this);
    // Timers count in whole milliseconds and cut off the rest.
    else this.#setTimer(Math.ceil(leftMs), () => this.host.gate.enter(this));
  }

  #setTimer(ms: number, ring: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = after(this.host.clock, ms, ring);
  }

  start(): boolean {
    const now = this.host.clock.now();
    const dueAt = Math.max(now, this.#dueAt);
    this.#history.dueAt = dueAt;
    this.#dueAt = never;
    this.#cancelTimer();
    // Where the process was held up, a poll and the deadlines are due together.
    const waiters = [...this.#waiters].filter(({ deadline }) => deadline > now);
    // Who wanted this poll may have left.
    const waiter = waiters.find((one) => nextPollAt(one, this.#history) <= dueAt);
    if (waiter) waiter.context.runInAsyncScope(() => this.#ask());
    else this.#schedule(waiters);
    return waiter !== undefined;
  }

  #ask(): void {
    // A poll that hangs must not cost the last one.
    this.#abortPoll();
    const poll = new AbortController();
    const isCurrent = () => this.#history.inFlight === poll;
    this.#history.begin(poll);
    this.#giveTime(hungAfterMs);
    this.host.poll(this.jobId, { signal: poll.signal, headers: this.headers }, this).then(
      ({ job, retryAfterMs }) => isCurrent() && this.#answered(job, retryAfterMs),
      (error) => isCurrent() && this.#failed(error),
    );
  }

  /** However long the request then has to wait for its turn, after a 429, it does not hang. */
  onKey(): void {
    this.#giveTime(never);
  }

  onSend(): void {
    this.#history.send(this.host.clock.now());
    for (const waiter of this.#waiters) waiter.polls++;
    this.#giveTime(hungAfterMs);
  }

  /** Gives the poll in flight so much time until it counts as hanging. */
  #giveTime(ms: number): void {
    this.#history.isHung = false;
    this.#dueAt = never;
    this.#setTimer(ms, () => {
      this.#history.isHung = true;
      this.host.gate.leave(this);
      this.#schedule();
    });
  }

  get listeners(): CallObserver["listeners"] {
    return [...this.#waiters].map(({ options }) => options.onResponse).filter((one) => one !== undefined);
  }

  #answered(job: Job, askedMs: number | undefined): void {
    this.#history.failure = undefined;
    this.#endPoll(askedMs);
    this.#job = job;
    // Decided before any `onUpdate` can change the job, which all waiters share.
    const end = endOf(job);
    this.#history.learn(end !== undefined);
    const waiters = [...this.#waiters];
    if (end === undefined) {
      // The `onUpdate` of one waiter may end the wait of another.
      for (const waiter of waiters) if (this.#waiters.has(waiter)) waiter.update(job);
      this.#schedule();
      return;
    }
    for (const waiter of waiters) waiter.leave();
    for (const waiter of waiters) {
      waiter.update(job);
      waiter.end(end === "failed" ? jobFailed(this.jobId, job as FailedJob) : undefined, job);
    }
  }

  #failed(error: unknown): void {
    this.#history.failure = error;
    const now = this.#endPoll(error instanceof ApiError ? error.retryAfterMs : undefined);
    const isFinal = !this.host.passes(error, now - (this.host.memory.acceptedAt(this.jobId) ?? notYet));
    for (const waiter of this.#waiters) {
      if (isFinal || this.#history.refusedUntil > waiter.deadline) waiter.end(ownError(error, this.jobId));
    }
    this.#schedule();
  }

  #endPoll(askedMs?: number): number {
    const now = this.host.clock.now();
    this.#history.end(now, askedMs === undefined ? undefined : now + Math.max(askedMs, shortestRetryAfterMs));
    this.#dueAt = never;
    this.#cancelTimer();
    this.host.gate.leave(this);
    return now;
  }

  #abortPoll(): void {
    this.#history.inFlight?.abort("nobody waits for this answer any longer");
  }

  #expire(waiter: Waiter): void {
    const elapsedMs = this.host.clock.now() - waiter.startedAt;
    const details = { job: this.#job, polls: waiter.polls, elapsedMs, cause: this.#history.failure };
    waiter.end(jobTimedOut(this.jobId, details));
  }

  #leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size > 0) return;
    this.#abortPoll();
    this.#endPoll();
    this.onEmpty();
  }
}
