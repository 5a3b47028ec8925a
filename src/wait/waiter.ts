import type { ResponseInfo } from "../options/options.js";
import { asyncContext } from "../time/async-context.js";
import type { TimelineEntry } from "../time/timeline.js";
import type { Job } from "../types.js";
import type { PollDelays } from "./poll-delay.js";

/** What is told how a wait goes. */
export interface WaitHandler {
  /** Called once per change of status, the terminal one included. */
  onUpdate?(job: Job): void;
  /** Called once: with the terminal job, or without one, and with why it is no success. */
  onEnd(error: unknown, job?: Job): void;
}

/** The polls that a waiter shares with others. */
export interface SharedPolls {
  /** Called at the time that the waiter asked its timeline for. */
  wake(waiter: Waiter, now: number): void;
  leave(waiter: Waiter): void;
}

/** How long a waiter waits, and how long the pauses between two of its polls may be. */
export interface WaitLimits {
  timeoutMs: number;
  delays: PollDelays;
}

/** How near before the deadline the last poll comes: this, or a tenth of a shorter wait. */
const lastPollMs = 500;

/** One who waits for a job: with a deadline and limits of their own, on polls that are shared. */
export class Waiter implements TimelineEntry {
  dueAt = Number.POSITIVE_INFINITY;
  place = -1;
  /** On the clock's time, as all times are. */
  readonly startedAt: number;
  readonly timeoutMs: number;
  readonly delays: PollDelays;
  /** Whether the first poll comes at once, or at the usual pace. */
  readonly isEager: boolean;
  /** Requests made while this one waited. */
  polls = 0;
  /** Its place among those who share the polls. */
  index = 0;
  /** Set while it waits. */
  shared: SharedPolls | undefined;
  removeListener: (() => void) | undefined;
  /** The user's, which does not throw. Called before the handler's. */
  onUpdate: ((job: Job) => void) | undefined;
  /** The user's, which does not throw. */
  onResponse: ((info: ResponseInfo) => void) | undefined;
  #status: string | undefined;
  readonly #handler: WaitHandler;
  readonly #context = asyncContext();

  constructor(limits: WaitLimits, startedAt: number, isEager: boolean, handler: WaitHandler) {
    this.startedAt = startedAt;
    this.timeoutMs = limits.timeoutMs;
    this.delays = limits.delays;
    this.isEager = isEager;
    this.#handler = handler;
  }

  get deadline(): number {
    return this.startedAt + this.timeoutMs;
  }

  /** How long before the deadline the last poll may come. */
  get lastPollMs(): number {
    return Math.min(lastPollMs, this.timeoutMs / 10);
  }

  get lastPollAt(): number {
    return this.deadline - this.lastPollMs;
  }

  wake(now: number): void {
    this.shared?.wake(this, now);
  }

  /** Takes in an answer; tells of it where the status has changed. */
  update(job: Job): void {
    if (this.#status === job.status) return;
    this.#status = job.status;
    this.onUpdate?.(job);
    this.#handler.onUpdate?.(job);
  }

  /** Runs a function in the async context in which the wait began. */
  run(callback: () => void): void {
    this.#context.runInAsyncScope(callback);
  }

  /** Ends the wait: with the terminal job, or without one, and with why it is no success. */
  end(error: unknown, job?: Job): void {
    this.leave();
    this.#handler.onEnd(error, job);
  }

  /** Ends the wait and tells nobody. */
  leave(): void {
    this.removeListener?.();
    this.removeListener = undefined;
    const { shared } = this;
    this.shared = undefined;
    shared?.leave(this);
  }
}
