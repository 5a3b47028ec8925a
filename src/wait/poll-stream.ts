import { ApiError } from "../errors/errors.js";
import { jobFailed, jobTimedOut, ownError } from "../errors/job-errors.js";
import { endOf } from "../job-end.js";
import type { CallObserver, RequestOptions } from "../options/options.js";
import { after, type Clock } from "../time/clock.js";
import type { FailedJob, Job } from "../types.js";
import type { JobMemory } from "./job-memory.js";
import { never, nextPollAt, notYet, PollHistory } from "./next-poll.js";
import { shortestRetryAfterMs } from "./poll-delay.js";
import type { Waiter } from "./waiter.js";

/** A poll hangs once its key or its answer has taken this long: it gives up its place, and a last poll replaces it. */
const hungAfterMs = 3000;

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

/** What the waits of a client share. */
export interface WaitHost extends JobSource {
  readonly clock: Clock;
  readonly gate: Gate;
  readonly memory: JobMemory;
}

/** Limits how many streams poll at a time. The others follow in the order in which their polls became due. */
export class Gate {
  readonly #due = new Set<PollStream>();
  readonly #inside = new Set<PollStream>();

  constructor(private readonly places: number) {}

  /** Starts the stream's poll, now or when a place becomes free. Call it when the poll is due. */
  enter(stream: PollStream): void {
    this.#due.add(stream);
    this.#admit();
  }

  /** Gives up the stream's place, or its turn. */
  leave(stream: PollStream): void {
    this.#due.delete(stream);
    if (this.#inside.delete(stream)) this.#admit();
  }

  #admit(): void {
    for (const stream of this.#due) {
      if (this.#inside.size >= this.places) return;
      this.#due.delete(stream);
      // Added before the start, which may run a user's function that ends this wait and others.
      this.#inside.add(stream);
      if (!stream.start()) this.#inside.delete(stream);
    }
  }
}

/** The polls of one job: one timer, one poll at a time, and all who wait for the job. All times are the clock's. */
export class PollStream implements CallObserver {
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

  /** Begins a poll, unless nobody needs it any more. Returns whether one has begun. */
  start(): boolean {
    const now = this.host.clock.now();
    const dueAt = Math.max(now, this.#dueAt);
    this.#history.dueAt = dueAt;
    this.#dueAt = never;
    this.#cancelTimer();
    // If the process was held up, deadlines may have passed whose timers have yet to fire.
    const waiters = [...this.#waiters].filter(({ deadline }) => deadline > now);
    // The waiter that wanted this poll may have left.
    const isWanted = waiters.some((waiter) => nextPollAt(waiter, this.#history) <= dueAt);
    if (isWanted) this.#ask();
    else this.#schedule(waiters);
    return isWanted;
  }

  #ask(): void {
    // A last poll replaces one that hangs.
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

  /** A request that then pauses because of a 429 does not hang. */
  onKey(): void {
    this.#giveTime(never);
  }

  onSend(): void {
    this.#history.send(this.host.clock.now());
    for (const waiter of this.#waiters) waiter.polls++;
    this.#giveTime(hungAfterMs);
  }

  /** The poll in flight hangs unless something happens to it within this time. */
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
