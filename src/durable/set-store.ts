import { ConfigurationError } from "../errors/errors.js";
import { shortened } from "../errors/words.js";
import { wrongOption } from "../errors/wrong-option.js";
import { isRecord } from "../schema/parse.js";
import type { CreateScreenshotsParams, Credits } from "../types.js";
import { isSame } from "./is-same.js";
import { checkedState, cleaned, type SetState } from "./set-state.js";

/** The version of what a store keeps of a set. */
export const storedVersion = 2;

/**
 * Where sets keep what they paid for, by their keys. Values are plain JSON; `null` or `undefined` is none. Methods may be
 * async.
 */
export interface SetStore {
  /** What was last saved under a key. */
  load(key: string): unknown;
  /**
   * Stores `next` durably before it resolves, but only where `previous` is what is stored: the very value that was loaded
   * or last saved, with the same JSON text. A database that writes the names of an object in an order of its own has to
   * compare values. Resolves to `false` where it is not; anything else counts as stored.
   */
  save(key: string, next: unknown, previous: unknown): unknown;
  /** All that it holds, for the budget of a batch. */
  list?(): Entries | Promise<Entries>;
  /** Further jobs that were paid for, which no value names, for that budget too. */
  otherJobs?(): Iterable<PaidJob> | Promise<Iterable<PaidJob>>;
  /** Called when a batch begins, with its `signal`: the place to refuse a second one, or to wait for its end. */
  open?(signal?: AbortSignal): unknown;
  /** Called when a batch that has opened it has ended. */
  close?(): unknown;
  /** Whether several processes step its sets at once. */
  readonly shared?: boolean;
}

/** The keys and values of a store. */
export type Entries = Iterable<readonly [string, unknown]> | AsyncIterable<readonly [string, unknown]>;

/** A job that was paid for. */
export interface PaidJob {
  jobId: string;
  /** Missing if the answer lacked its cost. */
  credits?: Pick<Credits, "cost"> | undefined;
}

/** What a store keeps of a set: plain JSON, without the key. */
export interface StoredSet {
  /** The version of this form. */
  version: typeof storedVersion;
  /** The address of the service that it was ordered from. */
  baseUrl?: string | undefined;
  /** What the set was ordered with. */
  params: CreateScreenshotsParams;
  /** How far it came. */
  state?: SetState | undefined;
  /** Earlier orders of the set, each charged or maybe charged, that `again` repeated. */
  earlier?: readonly SetState[] | undefined;
}

/** A copy of parameters for a record; undefined for what none can hold, such as a big integer. */
export function keptParams(params: unknown): CreateScreenshotsParams | undefined {
  try {
    return isRecord(params) ? (cleaned(params) as unknown as CreateScreenshotsParams) : undefined;
  } catch {
    return undefined;
  }
}

/** A store in memory, for tests and for one run. */
export function memoryStore(): Required<Pick<SetStore, "load" | "save" | "list">> {
  const texts = new Map<string, string>();
  const load = (key: string): unknown => JSON.parse(texts.get(key) ?? "null");
  return {
    load,
    save(key, next, previous) {
      if (!isSame(previous, load(key))) return false;
      if ((next ?? null) === null) texts.delete(key);
      else texts.set(key, JSON.stringify(next));
      return true;
    },
    list: () => [...texts.keys()].map((key) => [key, load(key)] as const),
  };
}

/** @throws {ConfigurationError} for a value that cannot keep sets */
export function checkedStore(store: SetStore): SetStore {
  if (typeof store?.load === "function" && typeof store.save === "function") return store;
  throw wrongOption("`store`", "an object with `load` and `save`", store);
}

/**
 * What a store has of a set; `undefined` for a new one.
 *
 * @throws {ConfigurationError} for what no step saved
 */
export function storedIn(key: string, value: unknown): StoredSet | undefined {
  if (value === undefined || value === null) return undefined;
  const { version, params, state, earlier = [] } = Object(value) as Partial<StoredSet>;
  if (version === storedVersion && isRecord(params) && Array.isArray(earlier)) {
    for (const one of earlier) checkedState(one);
    return { ...(value as StoredSet), state: checkedState(state) };
  }
  throw new ConfigurationError(
    `Expected the store to have for ${named(key)} what a step saved, in version ${storedVersion} of its form. Nothing was sent.`,
  );
}

/**
 * Checks that a stored set is the one that is wanted.
 *
 * @param baseUrl the client's; `undefined` for what only stands for a client
 * @throws {ConfigurationError} for a set that was ordered from another service or with other parameters
 */
export function checkOrder(
  key: string,
  stored: StoredSet,
  { baseUrl, params }: Pick<StoredSet, "baseUrl" | "params">,
): void {
  checkService(`The set ${named(key)}`, stored.baseUrl, baseUrl);
  const changed = changedFields(stored.params, params);
  if (changed.length === 0) return;
  const isOnlyApp = changed.join() === "appId";
  const advice = isOnlyApp
    ? `\`apps.create\` may return another id each time: pass ${named(String(stored.params.appId))}, that of the first run. Under another key the set would be paid for again.`
    : "Give the changed set another key.";
  throw new ConfigurationError(
    `The set ${named(key)} was ordered with other parameters before (${changed.join(", ")}), and may be paid for. Nothing was sent. ${advice}`,
  );
}

/**
 * @param what what was ordered, as the subject of a sentence
 * @param place what keeps it, and where its address stands
 * @throws {ConfigurationError} if it was ordered from another service
 */
export function checkService(
  what: string,
  before: string | undefined,
  now: string | undefined,
  [place, address] = ["state", "the address in the state"],
): void {
  if (before === undefined || now === undefined || before === now) return;
  throw new ConfigurationError(
    `${what} was ordered from ${before}, and the client's address is ${now}. Nothing was sent. Use another ${place} for another service; if the service has moved, change ${address}.`,
  );
}

/** A key or an id for a message, on one line and not too long. */
export const named = (key: string) => `"${shortened(key)}"`;

/** The fields in which two objects differ, whatever their order. */
export function changedFields(stored: object, given: object): string[] {
  const [before, after] = [stored, given] as Record<string, unknown>[];
  const fields = new Set([...Object.keys(stored), ...Object.keys(given)]);
  // Within an object, a field that is missing differs from `null`.
  return [...fields].filter((field) => !isSame({ field: before?.[field] }, { field: after?.[field] }));
}
