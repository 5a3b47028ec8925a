import { checkedStore, keptParams, memoryStore, named, type SetStore } from "../durable/set-store.js";
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

/** The keys of apps, which the command line keeps beside its sets. */
export const appPrefix = "app:";

/** Options of `runBatch`. */
export interface BatchOptions {
  /** The sets by their keys. A key names a set in the store and in the outcomes: choose one that stays. */
  sets:
    | Readonly<Record<string, CreateScreenshotsParams>>
    | Iterable<readonly [string, CreateScreenshotsParams]>;
  /**
   * Where the batch keeps what it paid for, so that a later run goes on with it: `fileStore(path)`, `postgresStore`, or
   * your own.
   * @default memory, which a later run does not have
   */
  store?: SetStore | undefined;
  /**
   * The most credits that all sets of the store may cost together, over all runs: those that are not among `sets`, too,
   * where the store can list them, earlier orders, and sets that may have been charged. These, and the next set, count at
   * the highest price that is known: the document's, or one that an acceptance in the store or of this run names. A store
   * that several processes share at once can keep no limit.
   * @default no limit
   */
  maxCredits?: number | undefined;
  /**
   * How many sets are worked on at once.
   * @default 4
   */
  concurrency?: number | undefined;
  /**
   * Keys of sets to order once more in this run, although they may be paid for twice: those whose set is stored as uncertain,
   * or as failed and charged, when the run begins. Others are left as they are, a set that another process has in flight
   * then among them, however it ends, and so are those that the budget has no room for or the service refuses.
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
  store: (given: SetStore = memoryStore()) => checkedStore(given),
  maxCredits: (given: number = Number.POSITIVE_INFINITY) => {
    if (typeof given === "number" && given >= 0) return given;
    throw wrongOption("`maxCredits`", "a number of credits, 0 or more", given);
  },
  concurrency: count(4, 1),
  again: (given: Iterable<string> = []) => {
    const isList = typeof given === "object" && given !== null && Symbol.iterator in given;
    const keys: unknown[] = isList ? [...given] : [];
    const wrong = isList ? keys.filter((key) => typeof key !== "string") : [given];
    if (wrong.length === 0) return new Set(keys as string[]);
    throw wrongOption("`again`", "an array of keys", wrong[0]);
  },
  signal: abortSignal,
  timeoutMs: milliseconds(600_000),
  onUpdate: callback<NonNullable<BatchOptions["onUpdate"]>>(),
} satisfies Table<BatchOptions>;

/** The options of a batch after their checks, with defaults. */
export type CheckedBatchOptions = ReturnType<typeof checkedBatchOptions>;

/** @throws {ConfigurationError} for an option that is missing, malformed or unknown */
export function checkedBatchOptions(options: BatchOptions) {
  const own = readOptions("runBatch", options, batchTable);
  if (own.store.shared && own.maxCredits < Number.POSITIVE_INFINITY) {
    throw new ConfigurationError(
      "`maxCredits` cannot be kept with a store that several processes share: each would see only what it ordered itself.",
    );
  }
  // The batch itself decides how long it waits.
  return { ...own, limits: { ...usualDelays, timeoutMs: Number.POSITIVE_INFINITY } };
}

function checkedSets(sets: BatchOptions["sets"] | undefined): Map<string, CreateScreenshotsParams> {
  if (typeof sets !== "object" || sets === null) {
    throw wrongOption("`sets`", "an object or an iterable of `[key, params]`", sets);
  }
  const checked = new Map<string, CreateScreenshotsParams>();
  for (const entry of Symbol.iterator in sets ? sets : Object.entries(sets)) {
    const [key, params] = checkedEntry(entry);
    if (checked.has(key)) {
      throw new ConfigurationError(`Expected each key of \`sets\` once, got ${named(key)} twice.`);
    }
    checked.set(key, params);
  }
  return checked;
}

function checkedEntry(entry: unknown): [string, CreateScreenshotsParams] {
  const [key, params] = Array.isArray(entry) ? entry : [];
  if (typeof key !== "string" || key === "") {
    throw wrongOption("each of `sets`", "`[key, params]` with a key that is not empty", entry);
  }
  if (key.startsWith(appPrefix)) {
    throw wrongOption("each key of `sets`", `one that does not begin with \`${appPrefix}\``, key);
  }
  // A copy: the batch stores what it sends, whatever the caller does with its own object meanwhile.
  const kept = keptParams(params);
  if (kept !== undefined) return [key, kept];
  throw wrongOption(`the parameters of ${named(key)}`, "an object that JSON can hold", params);
}
