import type { Job } from "../types.js";
import type { Recipient } from "./waiter.js";

interface Asked {
  resolve(result: IteratorResult<Job, undefined>): void;
  reject(error: unknown): void;
}

/** The changes of a job's status as an iterator: kept until they are asked for. Begins to wait with the first `next()`. */
export class JobWatch implements AsyncIterableIterator<Job, undefined>, Recipient {
  readonly #begin: (recipient: Recipient) => { leave(): void };
  readonly #jobs: Job[] = [];
  readonly #asked: Asked[] = [];
  #state: "new" | "open" | "ended" = "new";
  #failure: { error: unknown } | undefined;
  #wait: { leave(): void } | undefined;

  constructor(begin: (recipient: Recipient) => { leave(): void }) {
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Job, undefined>> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
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

  update(job: Job): void {
    // The `onUpdate` of the same wait may have ended it.
    if (this.#state === "ended") return;
    this.#jobs.push(job);
    this.#supply();
  }

  end(error: unknown, job?: Job): void {
    this.#state = "ended";
    if (job === undefined) this.#failure = { error };
    this.#supply();
  }

  #supply(): void {
    while (this.#asked.length > 0 && (this.#jobs.length > 0 || this.#state === "ended")) {
      const { resolve, reject } = this.#asked.shift() as Asked;
      const job = this.#jobs.shift();
      if (job !== undefined) resolve({ done: false, value: job });
      else if (this.#failure) {
        reject(this.#failure.error);
        this.#failure = undefined;
      } else resolve({ done: true, value: undefined });
    }
  }
}
