import type { Sleeper } from "../time/timeline.js";
import type { Job } from "../types.js";

/** Takes what a wait finds out. */
export interface Recipient {
  /** Called once per change of status, the terminal one included. */
  update(job: Job): void;
  /** Called once: with the terminal job, or with why the wait ended without one. */
  end(error: unknown, job?: Job): void;
}

/** What a waiter waits on. */
export interface WaitingRoom {
  /** Called at the time that the waiter asked its timeline for. */
  wake(waiter: Waiter, now: number): void;
  leave(waiter: Waiter): void;
}

/** How long a waiter waits, and how often it wants to look. */
export interface Terms {
  timeoutMs: number;
  minDelayMs: number;
  maxDelayMs: number;
}

/** How near before the deadline the last poll comes: this, or a tenth of a shorter wait. */
const lastLookMs = 500;

/** One who waits for a job: with a deadline and a pace of their own, on polls that are shared. */
export class Waiter implements Sleeper {
  dueAt = Number.POSITIVE_INFINITY;
  place = -1;
  readonly startedAt: number;
  /** On the clock's time, as all times are. */
  readonly deadline: number;
  /** How long before the deadline the last look may come. */
  readonly lastLookMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Whether it wants to know at once, or can wait for its turn. */
  readonly isEager: boolean;
  /** Requests made while this one waited. */
  polls = 0;
  /** Set by where it waits; `undefined` before and after. */
  room: WaitingRoom | undefined;
  /** Takes the listener of its signal away. */
  deafen: (() => void) | undefined;
  /** Does not throw. */
  onUpdate: ((job: Job) => void) | undefined;
  #status: string | undefined;
  readonly #recipient: Recipient;

  constructor(
    { timeoutMs, minDelayMs, maxDelayMs }: Terms,
    startedAt: number,
    isEager: boolean,
    recipient: Recipient,
  ) {
    this.startedAt = startedAt;
    this.deadline = startedAt + timeoutMs;
    this.lastLookMs = Math.min(lastLookMs, timeoutMs / 10);
    this.minDelayMs = minDelayMs;
    this.maxDelayMs = maxDelayMs;
    this.isEager = isEager;
    this.#recipient = recipient;
  }

  get lastLookAt(): number {
    return this.deadline - this.lastLookMs;
  }

  wake(now: number): void {
    this.room?.wake(this, now);
  }

  see(job: Job): void {
    if (this.#status === job.status) return;
    this.#status = job.status;
    this.onUpdate?.(job);
    this.#recipient.update(job);
  }

  /** Ends the wait: with the terminal job, or with why there is none. */
  end(error: unknown, job?: Job): void {
    this.leave();
    this.#recipient.end(error, job);
  }

  /** Ends the wait without a word. */
  leave(): void {
    this.deafen?.();
    this.deafen = undefined;
    this.room?.leave(this);
    this.room = undefined;
  }
}
