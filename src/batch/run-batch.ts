import { setMaxListeners } from "node:events";
import type { ScreenshotSets } from "../client.js";
import { accessOf, checkClient, type SetClient } from "../durable/set-client.js";
import { SetRecord } from "../durable/set-record.js";
import type { AcceptedSet } from "../durable/set-state.js";
import { checkService, named, type StoredSet, storedIn } from "../durable/set-store.js";
import { ConfigurationError } from "../errors/errors.js";
import type { SetAccess } from "../set-access.js";
import { isReasonOf } from "../time/abortable.js";
import type { CreateScreenshotsParams } from "../types.js";
import {
  appPrefix,
  type BatchOptions,
  type CheckedBatchOptions,
  checkedBatchOptions,
} from "./batch-options.js";
import { Budget } from "./budget.js";
import { Creates } from "./creates.js";
import { type SetOutcome, standingOf } from "./set-outcome.js";
import { type Complete, type SetContext, SetRun } from "./set-run.js";

/**
 * Plans many sets, each charged at most once, within a budget. Run it again with the same store after a crash, an abort
 * or a failure: it goes on where it was. The work begins with the first `next()`.
 *
 * The iteration has one outcome for each set, in the order of their ends. Leaving it starts nothing more; what was
 * accepted is in the store, and the next run goes on with it.
 *
 * @throws {ConfigurationError} for a wrong option, at once; for a set that was ordered with other parameters before, or
 *   from another service, from the iteration, before anything is sent
 * @throws {AuthenticationError} from the iteration, for a 401, after an outcome for each set
 * @throws what the store rejects with, from the iteration, after an outcome for each set. A set whose acceptance could not
 *   be stored is in the outcomes as `waiting`, with its `jobId`, and the iteration then ends with its
 *   `CreateInterruptedError`
 */
export function runBatch(
  client: Pick<ScreenshotSets, "screenshots" | "jobs">,
  options: BatchOptions,
): AsyncGenerator<SetOutcome, void, void> {
  return startBatch(client, options).outcomes();
}

/** @param complete completes the parameters of sets that are not known before, such as the id of an app */
export function startBatch(
  client: Pick<ScreenshotSets, "screenshots" | "jobs">,
  options: BatchOptions,
  complete?: Complete,
): Batch {
  checkClient(client);
  return new Batch(client, checkedBatchOptions(options), complete);
}

/** One run of a batch. */
export class Batch implements SetContext {
  readonly access: SetAccess;
  readonly creates: Creates;
  beganAt = 0;
  readonly #stop = new AbortController();
  /** The sets that the store has, until their turn comes. */
  readonly #found = new Map<string, SetRun>();
  /** Why the batch ends before its sets do. */
  #failure: { error: unknown } | undefined;
  readonly #ended: SetOutcome[] = [];
  #wake = () => {};

  constructor(
    client: SetClient,
    readonly options: CheckedBatchOptions,
    readonly complete: Complete | undefined,
  ) {
    this.access = accessOf(client);
    // As many sets sleep on it as are worked on, and a clock of the user's may listen for each.
    setMaxListeners(0, this.signal);
    this.creates = new Creates(new Budget(options.maxCredits), this.signal, this.fail);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the batch as an abort does, but with an error. */
  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#stop.abort();
  };

  async *outcomes(): AsyncGenerator<SetOutcome, void, void> {
    const { store, signal } = this.options;
    const stop = () => this.#stop.abort();
    let isOpen = false;
    let work: Promise<void> | undefined;
    try {
      try {
        await store.open?.(signal);
        isOpen = true;
        await this.load();
      } catch (error) {
        if (error instanceof ConfigurationError) throw error;
        // An abort fails nothing: it has the outcomes of a batch that was aborted before it began.
        if (!isReasonOf(signal, error)) this.fail(error);
      }
      signal?.addEventListener("abort", stop);
      if (signal?.aborted) stop();
      this.beganAt = this.access.clock.now();
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
      if (isOpen) await store.close?.();
    }
  }

  /** Reads all sets before anything is sent: what was paid for counts against the budget, and must not have changed. */
  async load(): Promise<void> {
    const { sets, store, concurrency } = this.options;
    await inParallel(concurrency, [...sets], async ([key, params]) => {
      const record = this.#recordOf(key, params);
      await record.load();
      if (record.stored === undefined) return;
      this.#found.set(key, new SetRun(key, record, this));
      this.#count(record.stored);
    });
    for await (const [key, found] of (await store.list?.()) ?? []) {
      const stored = sets.has(key) || key.startsWith(appPrefix) ? undefined : storedIn(key, found);
      if (stored === undefined) continue;
      checkService(`The set ${named(key)}`, stored.baseUrl, this.access.baseUrl);
      this.#count(stored);
    }
    for (const job of (await store.otherJobs?.()) ?? []) {
      this.#count({ state: { step: "accepted", ...job } as AcceptedSet });
    }
  }

  /** How a set stands by the store alone; undefined for one that was not ordered. */
  standingOf(key: string): SetOutcome | undefined {
    const { state } = this.#found.get(key)?.record ?? {};
    return state && standingOf(key, state);
  }

  #recordOf(key: string, params: CreateScreenshotsParams): SetRecord {
    return new SetRecord(this.options.store, key, { baseUrl: this.access.baseUrl, params });
  }

  /** Counts all orders of a set. */
  #count({ state, earlier = [] }: Pick<StoredSet, "state" | "earlier">): void {
    for (const order of [...earlier, state]) if (order) this.creates.budget.count(order);
  }

  async #work(): Promise<void> {
    const { sets, concurrency } = this.options;
    const isFound = ([key]: [string, unknown]) => this.#found.has(key);
    // What the store knows comes first: most of it has ended, and none of it costs anything.
    const ordered = [...[...sets].filter(isFound), ...[...sets].filter((entry) => !isFound(entry))];
    await inParallel(concurrency, ordered, ([key, params]) => this.#run(key, params));
  }

  async #run(key: string, params: CreateScreenshotsParams): Promise<void> {
    const run = this.#found.get(key) ?? new SetRun(key, this.#recordOf(key, params), this);
    this.#found.delete(key);
    this.#ended.push(await run.outcome());
    this.#wake();
  }
}

/** Runs something for each item, for so many at once. */
async function inParallel<Item>(
  most: number,
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await run(next.value);
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
