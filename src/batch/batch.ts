import { paceOf, type SetClient } from "../durable/step.js";
import type { CreateScreenshotsParams } from "../types.js";
import type { CheckedBatchOptions } from "./batch-options.js";
import { Budget } from "./budget.js";
import type { SetOutcome } from "./set-outcome.js";
import { SetRun } from "./set-run.js";
import { checkedSet, type StoredSet } from "./stored-set.js";

/** One run of a batch. */
export class Batch {
  readonly #client: SetClient;
  readonly #options: CheckedBatchOptions;
  readonly #budget: Budget;
  readonly #stop = new AbortController();
  #stored = new Map<string, StoredSet>();
  #isOutOfCredits = false;
  /** Why the batch ends before its sets do. */
  #failure: { error: unknown } | undefined;
  #ended: SetOutcome[] = [];
  #wake = () => {};

  constructor(client: SetClient, options: CheckedBatchOptions) {
    this.#client = client;
    this.#options = options;
    this.#budget = new Budget(options.maxCredits);
  }

  async *outcomes(): AsyncGenerator<SetOutcome, void, void> {
    const { store, signal } = this.#options;
    const stop = () => this.#stop.abort();
    await store.open?.();
    let work: Promise<void> | undefined;
    try {
      await this.#load();
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) stop();
      let isOver = false;
      work = this.#work().finally(() => {
        isOver = true;
        this.#wake();
      });
      for (;;) {
        for (let outcome = this.#ended.shift(); outcome; outcome = this.#ended.shift()) yield outcome;
        if (isOver) break;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#failure) throw this.#failure.error;
    } finally {
      // The loop may have been left. A create in flight is waited for, so that its acceptance is stored.
      stop();
      await work;
      signal?.removeEventListener("abort", stop);
      await store.close?.();
    }
  }

  /** Reads all sets before anything is sent: what was paid for counts against the budget, and must not have changed. */
  async #load(): Promise<void> {
    const { sets, store, concurrency } = this.#options;
    await inParallel(concurrency, sets, async ([key, params]) => {
      const stored = checkedSet(key, await store.load(key), params);
      if (stored) this.#stored.set(key, stored);
    });
    for (const { state } of this.#stored.values()) this.#budget.count(state);
  }

  async #work(): Promise<void> {
    const { sets, concurrency } = this.#options;
    const isPaid = ([key]: [string, unknown]) => this.#stored.has(key);
    // What the store knows comes first: most of it has ended, and none of it costs anything.
    const ordered = [...[...sets].filter(isPaid), ...[...sets].filter((entry) => !isPaid(entry))];
    await inParallel(concurrency, ordered, async ([key, params]) => {
      const outcome = await this.#run(key, params).catch((error: unknown) => this.#fail(error));
      if (!outcome) return;
      this.#ended.push(outcome);
      this.#wake();
    });
  }

  #run(key: string, params: CreateScreenshotsParams): Promise<SetOutcome | undefined> {
    const stored = this.#stored.get(key);
    this.#stored.delete(key);
    const { store, limits, onUpdate } = this.#options;
    const set = new SetRun(key, params, stored, {
      client: this.#client,
      pace: paceOf(this.#client),
      save: (value) => store.save(key, value),
      limits,
      onUpdate,
      budget: this.#budget,
      signal: this.#stop.signal,
      reasonToSkip: () => {
        if (this.#stop.signal.aborted) return "aborted";
        return this.#isOutOfCredits ? "credits" : this.#budget.hasRoom ? undefined : "budget";
      },
      outOfCredits: () => {
        this.#isOutOfCredits = true;
      },
      fail: (error) => this.#fail(error),
    });
    return set.outcome();
  }

  /** Ends the batch as an abort does, but with an error. */
  #fail(error: unknown): undefined {
    this.#failure ??= { error };
    this.#stop.abort();
  }
}

/** Runs something for each item, for so many at once. */
async function inParallel<Item>(
  count: number,
  items: Iterable<Item>,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await run(next.value);
  };
  const ends = await Promise.allSettled(Array.from({ length: count }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
