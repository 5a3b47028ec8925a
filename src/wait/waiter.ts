import type { Job } from "../types.js";
import type { CheckedWaitOptions } from "./wait-options.js";

/** Receives the progress and the end of a wait. */
export interface WaitHandler {
  /** Called once per change of status, the terminal one included. */
  onUpdate?(job: Job): void;
  /** Called once, with the job if it has ended, and with the error unless it has succeeded. */
  onEnd(error: unknown, job?: Job): void;
}

/** How long before the deadline the last poll is due; a tenth of the wait if that is shorter. */
const lastPollMs = 500;

/** One wait for a job, with its own deadline and limits, on polls that it may share. All times are the clock's. */
export class Waiter {
  /** How many requests were sent during this wait. */
  polls = 0;
  readonly deadline: number;
  readonly lastPollAt: number;
  #status: string | undefined;
  readonly #cleanUps: (() => void)[] = [];

  constructor(
    readonly options: CheckedWaitOptions,
    readonly startedAt: number,
    /** Whether the first poll is due at once, or at the usual pace. */
    readonly isEager: boolean,
    private readonly handler: WaitHandler,
  ) {
    const { timeoutMs } = options;
    this.deadline = startedAt + timeoutMs;
    this.lastPollAt = this.deadline - Math.min(lastPollMs, timeoutMs / 10);
  }

  /** Calls `cleanUp` when the wait is over, however it ends. */
  whenOver(cleanUp: () => void): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Receives the job of an answer, and reports it if the status has changed. */
  update(job: Job): void {
    if (this.#status === job.status) return;
    this.#status = job.status;
    this.handler.onUpdate?.(job);
  }

  /** Ends the wait, with the job if it has ended, and with an error unless it has succeeded. */
  end(error: unknown, job?: Job): void {
    this.leave();
    this.handler.onEnd(error, job);
  }

  /** Ends the wait without settling it. */
  leave(): void {
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
  }
}
