import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import {
  abortSignal,
  callback,
  count,
  milliseconds,
  readOptions,
  type Table,
} from "../options/read-options.js";
import type { CreateScreenshotsParams, Job } from "../types.js";
import { usualDelays } from "../wait/poll-delay.js";
import { named } from "./stored-set.js";

/**
 * Where a batch keeps what it paid for. Values are plain JSON; `null` says that nothing is known of a set. Each save
 * must be durable when it resolves, and no other process may use the same sets meanwhile.
 */
export interface BatchStore {
  /** Returns what was last saved under a key; `undefined` or `null` if there is nothing. */
  load(key: string): unknown;
  /** Stores a value. A set is ordered only after the record of it was saved. */
  save(key: string, value: unknown): unknown;
  /** Called when a batch begins, with its `signal`: the place to refuse a second one, or to wait for its end. */
  open?(signal?: AbortSignal): unknown;
  /** Called when a batch has ended. */
  close?(): unknown;
}

/** Options of `runBatch`. */
export interface BatchOptions {
  /** The sets by their keys. A key names a set in the store and in the outcomes: choose one that stays. */
  sets:
    | Readonly<Record<string, CreateScreenshotsParams>>
    | Iterable<readonly [string, CreateScreenshotsParams]>;
  /**
   * Where the batch keeps what it paid for, so that a later run goes on with it: `fileStore(path)`, or your own.
   * @default memory, which a later run does not have
   */
  store?: BatchStore | undefined;
  /**
   * The most credits that the sets may cost together, over all runs. Sets that may have been charged count, too. The
   * price is that of the last accepted set, and the document's before the first.
   * @default no limit
   */
  maxCredits?: number | undefined;
  /**
   * How many sets are worked on at once.
   * @default 4
   */
  concurrency?: number | undefined;
  /**
   * Keys of sets to order once more, although they may be paid for twice: those whose set is stored as uncertain, or as
   * failed and charged. Others are left as they are, and so are those that would pass the budget or are refused.
   * @default none
   */
  again?: Iterable<string> | undefined;
  /** Starts nothing more and ends the pauses and the polling. The batch then ends with an outcome for each set. */
  signal?: AbortSignal | undefined;
  /**
   * How long to wait for each set, in milliseconds from its acceptance.
   * @default 600_000
   */
  timeoutMs?: number | undefined;
  /** Called once per change of a job's status. An error that it throws is logged and ignored. */
  onUpdate?: ((key: string, job: Job) => void) | undefined;
}

const batchTable = {
  sets: checkedSets,
  store: (given: BatchStore = memoryStore()) => {
    if (typeof given?.load === "function" && typeof given.save === "function") return given;
    throw wrongOption("`store`", "an object with `load` and `save`", given);
  },
  maxCredits: (given: number = Number.POSITIVE_INFINITY) => {
    if (typeof given === "number" && given >= 0) return given;
    throw wrongOption("`maxCredits`", "a number of credits, 0 or more", given);
  },
  concurrency: count(4, 1),
  again: (given: Iterable<string> = []) => {
    if (typeof given === "object" && given !== null && Symbol.iterator in given) return new Set(given);
    throw wrongOption("`again`", "an array of keys", given);
  },
  signal: abortSignal,
  timeoutMs: milliseconds(600_000),
  onUpdate: callback<NonNullable<BatchOptions["onUpdate"]>>(),
} satisfies Table<BatchOptions>;

/** The options of a batch after their checks, with defaults. */
export type CheckedBatchOptions = ReturnType<typeof checkedBatchOptions>;

/** @throws {ConfigurationError} for an option that is missing, malformed or unknown */
export function checkedBatchOptions(options: BatchOptions) {
  const { timeoutMs, ...own } = readOptions("runBatch", options, batchTable);
  return { ...own, limits: { ...usualDelays, timeoutMs } };
}

function checkedSets(sets: BatchOptions["sets"] | undefined): Map<string, CreateScreenshotsParams> {
  if (typeof sets !== "object" || sets === null) {
    throw wrongOption("`sets`", "an object or an iterable of `[key, params]`", sets);
  }
  const checked = new Map<string, CreateScreenshotsParams>();
  for (const entry of Symbol.iterator in sets ? sets : Object.entries(sets)) {
    const [key, params] = Array.isArray(entry) ? entry : [];
    if (typeof key !== "string" || key === "") {
      throw wrongOption("each of `sets`", "`[key, params]` with a key that is not empty", entry);
    }
    if (typeof params !== "object" || params === null) {
      throw wrongOption(`the parameters of ${named(key)}`, "an object", params);
    }
    if (checked.has(key)) {
      throw new ConfigurationError(`Expected each key of \`sets\` once, got ${named(key)} twice.`);
    }
    // A copy: the batch stores what it sends, whatever the caller does with its own object meanwhile.
    checked.set(key, JSON.parse(JSON.stringify(params)));
  }
  return checked;
}

/** A store for one run. */
export function memoryStore(): BatchStore {
  const values = new Map<string, unknown>();
  return { load: (key) => values.get(key), save: (key, value) => void values.set(key, value) };
}
