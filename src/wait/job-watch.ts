import type { Job } from "../types.js";
import type { WaitHandler } from "./waiter.js";

/** A call of `next()` that has not settled yet. */
interface PendingNext {
  resolve(result: IteratorResult<Job, undefined>): void;
  reject(error: unknown): void;
}

const finish = ({ resolve }: PendingNext) => resolve({ done: true, value: undefined });

/** Iterates over a job's status changes, which it buffers until they are read. The first `next()` starts the wait. */
export class JobWatch implements AsyncIterableIterator<Job, undefined>, WaitHandler {
  readonly #begin: (handler: WaitHandler) => { leave(): void };
  /** Settle the next calls of `next()`, in this order. */
  readonly #answers: ((next: PendingNext) => void)[] = [];
  readonly #pending: PendingNext[] = [];
  #wait: { leave(): void } | undefined;
  #hasEnded = false;

  constructor(begin: (handler: WaitHandler) => { leave(): void }) {
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Job, undefined>> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      if (!this.#hasEnded) this.#wait ??= this.#begin(this);
      this.#supply();
    });
  }

  async return(): Promise<IteratorResult<Job, undefined>> {
    this.#hasEnded = true;
    this.#answers.length = 0;
    this.#wait?.leave();
    this.#supply();
    return { done: true, value: undefined };
  }

  onUpdate(job: Job): void {
    // The user's `onUpdate` may have ended this iteration.
    if (this.#hasEnded) return;
    this.#answers.push(({ resolve }) => resolve({ done: false, value: job }));
    this.#supply();
  }

  onEnd(error: unknown, job?: Job): void {
    this.#hasEnded = true;
    if (job === undefined) this.#answers.push(({ reject }) => reject(error));
    this.#supply();
  }

  #supply(): void {
    while (this.#pending.length > 0 && (this.#answers.length > 0 || this.#hasEnded)) {
      const answer = this.#answers.shift() ?? finish;
      answer(this.#pending.shift() as PendingNext);
    }
  }
}
