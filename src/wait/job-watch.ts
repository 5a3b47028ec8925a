import type { Job } from "../types.js";
import type { WaitHandler } from "./waiter.js";

type Result = IteratorResult<Job, undefined>;

/** Iterates over a job's status changes, which it buffers until they are read. The first `next()` starts the wait. */
export class JobWatch implements AsyncIterableIterator<Job, undefined>, WaitHandler {
  readonly #begin: (handler: WaitHandler) => { leave(): void };
  /** Return the results of the next calls of `next()`, in this order. */
  readonly #results: (() => Result | Promise<Result>)[] = [];
  /** Resolve the calls of `next()` that have no result yet. */
  readonly #pending: ((result: Result | Promise<Result>) => void)[] = [];
  #wait: { leave(): void } | undefined;
  #hasEnded = false;

  constructor(begin: (handler: WaitHandler) => { leave(): void }) {
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    return new Promise((resolve) => {
      this.#pending.push(resolve);
      if (!this.#hasEnded) this.#wait ??= this.#begin(this);
      this.#supply();
    });
  }

  async return(): Promise<Result> {
    this.#hasEnded = true;
    this.#results.length = 0;
    this.#wait?.leave();
    this.#supply();
    return { done: true, value: undefined };
  }

  onUpdate(job: Job): void {
    // The user's `onUpdate` may have ended this iteration.
    if (this.#hasEnded) return;
    this.#results.push(() => ({ done: false, value: job }));
    this.#supply();
  }

  onEnd(error: unknown, job?: Job): void {
    this.#hasEnded = true;
    if (job === undefined) this.#results.push(() => Promise.reject(error));
    this.#supply();
  }

  #supply(): void {
    while (this.#pending.length > 0 && (this.#results.length > 0 || this.#hasEnded)) {
      const result = this.#results.shift()?.() ?? { done: true, value: undefined };
      this.#pending.shift()?.(result);
    }
  }
}
