import { ConfigurationError } from "../errors/errors.js";
import { shortened } from "../errors/words.js";
import { wrongOption } from "../errors/wrong-option.js";
import { isRecord } from "../schema/parse.js";
import type { CreateScreenshotsParams, Credits } from "../types.js";
import { isSame } from "./is-same.js";
import { checkedState, cleaned, type SetState } from "./set-state.js";

const version = 2;

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
  version: typeof version;
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

/** What a store has of one set. Only its methods change it. */
export class SetRecord {
  /** How far the set is; undefined for a new one, and for one that is being ordered once more. */
  state: SetState | undefined;
  /** How the order ended that is being repeated. */
  repeated: SetState | undefined;
  /** What was loaded, after its checks; undefined for nothing. */
  stored: StoredSet | undefined;
  /** The value that was loaded. */
  #found: unknown;
  /**
   * The very value that was loaded or saved for each state, since a store compares with that. `undefined` leads to what was
   * found: a repeated order that is refused leaves the order before it.
   */
  #values = new Map<SetState | undefined, unknown>([[undefined, undefined]]);

  /** @param order what the set is ordered with; its parameters may be completed before the first save */
  constructor(
    private readonly store: Pick<SetStore, "load" | "save">,
    private readonly key: string,
    readonly order: Pick<StoredSet, "baseUrl" | "params">,
  ) {}

  /**
   * Reads the set. An order that another process has changed meanwhile is repeated no longer.
   *
   * @throws {ConfigurationError} for what no step saved, or what was not ordered so
   */
  async load(): Promise<void> {
    const found = await this.store.load(this.key);
    const stored = storedIn(this.key, found);
    if (stored) checkOrder(this.key, stored, this.order);
    if (!isSame(found, this.#found)) this.repeated = undefined;
    this.#found = found;
    this.stored = stored;
    this.state = this.repeated ? undefined : stored?.state;
    this.#values = new Map([undefined, stored?.state].map((state) => [state, found]));
  }

  /** Lets the set be ordered once more. What is stored stays until a new state is saved. */
  repeat(): void {
    this.repeated = this.state;
    this.state = undefined;
  }

  /** Stores a state in place of another: see `SetStore`. */
  async save(next: SetState | undefined, previous: SetState | undefined): Promise<unknown> {
    // What it tells has happened, stored or not.
    this.state = next;
    const isStored = await this.store.save(this.key, this.#valueOf(next), this.#valueOf(previous));
    const isAcceptance = next?.step === "accepted" && previous?.step === "sending";
    return isStored === false && isAcceptance ? this.#names(next.jobId) : isStored;
  }

  /** Whether what is stored names a job: the reply to a save may have been lost, and others have gone on from it. */
  async #names(jobId: string): Promise<boolean> {
    const { state, earlier = [] } = storedIn(this.key, await this.store.load(this.key)) ?? {};
    return [state, ...earlier].some((one) => one !== undefined && "jobId" in one && one.jobId === jobId);
  }

  /** Goes on with a state that no later process needs: what is stored is the one before it. */
  passOver(next: SetState, previous: SetState): void {
    this.state = next;
    this.#values.set(next, this.#valueOf(previous)).delete(previous);
  }

  #valueOf(state: SetState | undefined): unknown {
    if (!this.#values.has(state)) this.#values.set(state, this.#recordOf(state as SetState));
    return this.#values.get(state);
  }

  #recordOf(state: SetState): StoredSet {
    const { earlier = [] } = this.stored ?? {};
    const all = this.repeated ? [...earlier, this.repeated] : earlier;
    return { version, ...this.order, state, ...(all.length > 0 && { earlier: all }) };
  }
}

/**
 * What a store has of a set; `undefined` for a new one.
 *
 * @throws {ConfigurationError} for what no step saved
 */
export function storedIn(key: string, value: unknown): StoredSet | undefined {
  if (value === undefined || value === null) return undefined;
  const { version: own, params, state, earlier = [] } = Object(value) as Partial<StoredSet>;
  if (own === version && isRecord(params) && Array.isArray(earlier)) {
    for (const one of earlier) checkedState(one);
    return { ...(value as StoredSet), state: checkedState(state) };
  }
  throw new ConfigurationError(
    `Expected the store to have for ${named(key)} what a step saved, in version ${version} of its form. Nothing was sent.`,
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
