import type { Job } from "../types.js";
import type { WaitHandler } from "./waiter.js";

/** A call of `next()` that has no job yet. */
interface PendingNext {
  resolve(result: IteratorResult<Job, undefined>): void;
  reject(error: unknown): void;
}

/** The changes of a job's status as an iterator: kept until they are asked for. Begins to wait with the first `next()`. */
export class JobWatch implements AsyncIterableIterator<Job, undefined>, WaitHandler {
  readonly #begin: (handler: WaitHandler) => { leave(): void };
  readonly #jobs: Job[] = [];
  readonly #pending: PendingNext[] = [];
  #state: "new" | "open" | "ended" = "new";
  #failure: { error: unknown } | undefined;
  #wait: { leave(): void } | undefined;

  constructor(begin: (handler: WaitHandler) => { leave(): void }) {
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Job, undefined>> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      if (this.#state === "new") {
        this.#state = "open";
        this.#wait = this.#begin(this);
      }
      this.#supply();
    });
  }

  async return(): Promise<IteratorResult<Job, undefined>> {
    this.#state = "ended";
    this.#failure = undefined;
    this.#jobs.length = 0;
    this.#wait?.leave();
    this.#supply();
    return { done: true, value: undefined };
  }

  onUpdate(job: Job): void {
    // The `onUpdate` of the same wait may have ended it.
    if (this.#state === "ended") return;
    this.#jobs.push(job);
    this.#supply();
  }

  onEnd(error: unknown, job?: Job): void {
    this.#state = "ended";
    if (job === undefined) this.#failure = { error };
    this.#supply();
  }

  #supply(): void {
    while (this.#pending.length > 0 && (this.#jobs.length > 0 || this.#state === "ended")) {
      const { resolve, reject } = this.#pending.shift() as PendingNext;
      const job = this.#jobs.shift();
      if (job !== undefined) resolve({ done: false, value: job });
      else if (this.#failure) {
        reject(this.#failure.error);
        this.#failure = undefined;
      } else resolve({ done: true, value: undefined });
    }
  }
}
