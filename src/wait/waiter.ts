import type { ResponseInfo } from "../options/options.js";
import { asyncContext } from "../time/async-context.js";
import type { TimelineEntry } from "../time/timeline.js";
import type { Job } from "../types.js";
import type { PollDelays } from "./poll-delay.js";

/** Receives the progress and the end of a wait. */
export interface WaitHandler {
  /** Called once per status change, including the terminal one. */
  onUpdate(job: Job): void;
  /** Called once, with the error (if any) and the terminal job (if there is one). */
  onEnd(error: unknown, job?: Job): void;
}

/** The polls that a waiter shares with other waiters. */
export interface SharedPolls {
  /** Called at the time for which the waiter was set on the timeline. */
  wake(waiter: Waiter, now: number): void;
  leave(waiter: Waiter): void;
}

/** How long before the deadline the last poll is due; a tenth of the wait if that is shorter. */
const lastPollMs = 500;

/** One wait for a job, with its own deadline and limits, on polls that are shared. */
export class Waiter implements TimelineEntry {
  dueAt = Number.POSITIVE_INFINITY;
  place = -1;
  readonly timeoutMs: number;
  readonly delays: PollDelays;
  /** How many requests were made during this wait. */
  polls = 0;
  /** Its index in the list of waiters that share the polls. */
  index = 0;
  /** Set during the wait. */
  shared: SharedPolls | undefined;
  removeListener: (() => void) | undefined;
  /** The user's callback, wrapped so that it does not throw. Called before the handler's. */
  onUpdate: ((job: Job) => void) | undefined;
  /** The user's callback, wrapped so that it does not throw. */
  onResponse: ((info: ResponseInfo) => void) | undefined;
  /** The async context in which the wait began. */
  readonly context = asyncContext();
  #status: string | undefined;

  constructor(
    limits: Pick<Waiter, "timeoutMs" | "delays">,
    /** On the clock, like all times here. */
    readonly startedAt: number,
    /** Whether the first poll is due at once, or at the usual pace. */
    readonly isEager: boolean,
    private readonly handler: WaitHandler,
  ) {
    this.timeoutMs = limits.timeoutMs;
    this.delays = limits.delays;
  }

  get deadline(): number {
    return this.startedAt + this.timeoutMs;
  }

  /** How long before the deadline the last poll is due, in milliseconds. */
  get lastPollMs(): number {
    return Math.min(lastPollMs, this.timeoutMs / 10);
  }

  get lastPollAt(): number {
    return this.deadline - this.lastPollMs;
  }

  wake(now: number): void {
    this.shared?.wake(this, now);
  }

  /** Receives the job of an answer, and reports it if the status has changed. */
  update(job: Job): void {
    if (this.#status === job.status) return;
    this.#status = job.status;
    this.onUpdate?.(job);
    this.handler.onUpdate(job);
  }

  /** Ends the wait, with the error (if any) and the terminal job (if there is one). */
  end(error: unknown, job?: Job): void {
    this.leave();
    this.handler.onEnd(error, job);
  }

  /** Ends the wait without notifying the handler. */
  leave(): void {
    this.removeListener?.();
    const { shared } = this;
    this.shared = undefined;
    shared?.leave(this);
  }
}
