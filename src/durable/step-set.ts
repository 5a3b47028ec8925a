import type { ScreenshotSets } from "../client.js";
import { wrongOption } from "../errors/wrong-option.js";
import { abortSignal, readOptions } from "../options/read-options.js";
import type { SetAccess } from "../set-access.js";
import type { CreateScreenshotsParams } from "../types.js";
import type { SaveState } from "./save-state.js";
import { accessOf, checkClient, type SetClient } from "./set-client.js";
import { SetRecord } from "./set-record.js";
import type { SetState } from "./set-state.js";
import { checkedStore, keptParams, type SetStore } from "./set-store.js";
import { limitsOf, type StepOptions, stepTable } from "./step-options.js";
import type { StepResult } from "./step-result.js";
import { takeStep } from "./take-step.js";

/** A set in a store. */
export interface SetInStore {
  /** Names the set in the store, such as by its order. */
  key: string;
  params: CreateScreenshotsParams;
  store: SetStore;
}

/** A set whose record an engine carries. */
export interface SetWithState {
  params: CreateScreenshotsParams;
  /** As it was last saved; none for a new set. */
  state?: SetState | null | undefined;
}

/**
 * Takes one step of one set: creates it or polls its job once, in at most one request (two if the key was rotated).
 * Repeat it, after the `delayMs` of each result that is `"waiting"`, until it is not; any process may.
 *
 * The service has no idempotency key and no list of jobs, so a record is saved before the create is sent. A step that
 * finds a record whose create may be in flight waits. A step that finds an older one, as a crash leaves it, sends nothing
 * and ends the set as `"uncertain"`. A create counts as in flight for the client's `timeoutMs` (at most ten minutes) and
 * two minutes.
 *
 * @param set its key, parameters and store
 * @returns what the step found or did. What ends the set is returned, and so is a failure that passes, as the `error` of a
 *   result that is `"waiting"`
 * @throws what the store rejects with before a create or after an unfinished poll: nothing is lost then
 * @throws {CreateInterruptedError} when an acceptance (`charged: "yes"`, with its `jobId`) or the end of a refused create
 *   (`"no"`) could not be saved
 * @throws {ConfigurationError} for a malformed argument, a key function that fails, and a record that no step wrote or that
 *   is about another order; this step charged nothing
 * @throws the reason of an abort
 */
export function stepSet(
  client: Pick<ScreenshotSets, "screenshots" | "jobs">,
  set: SetInStore,
  options?: StepOptions,
): Promise<StepResult>;
/**
 * Takes a step of a set whose record the caller carries, as some engines do. All else is as with a store.
 *
 * @param set its parameters, and its state as last saved; no state for a new set
 * @param save stores `next` durably before it resolves, but only where `previous`, the very value that was loaded or last
 *   saved, is what is stored; it resolves to `false` where it is not. `undefined` is a new set
 */
export function stepSet(
  client: Pick<ScreenshotSets, "screenshots" | "jobs">,
  set: SetWithState,
  save: SaveState,
  options?: StepOptions,
): Promise<StepResult>;
export async function stepSet(
  client: SetClient,
  set: SetInStore | SetWithState,
  ...rest: unknown[]
): Promise<StepResult> {
  checkClient(client);
  if (typeof set !== "object" || set === null) {
    throw wrongOption("the set", "an object such as `{ key, params, store }`", set);
  }
  const isStored = "store" in set || ("key" in set && typeof rest[0] !== "function");
  const [save, options] = isStored ? [undefined, rest[0]] : rest;
  if (!isStored && typeof save !== "function") throw wrongOption("`save`", "a function", save);
  const { signal, ...own } = readOptions("stepSet", options as StepOptions, {
    ...stepTable,
    signal: abortSignal,
  });
  const limits = limitsOf(own);
  signal?.throwIfAborted();
  const { params } = set;
  const access = accessOf(client);
  const record = isStored ? await recordOf(set, access) : { state: set.state, save: save as SaveState };
  const stepped = await takeStep({
    access,
    params,
    state: record.state,
    limits,
    signal,
    ...(isStored && { key: set.key }),
    save: (next, previous) => record.save(next, previous),
  });
  if (stepped.status !== "waiting") return stepped;
  const { isTransient: _, ...result } = stepped;
  return result;
}

async function recordOf({ key, params, store }: SetInStore, { baseUrl }: SetAccess): Promise<SetRecord> {
  if (typeof key !== "string" || key === "") throw wrongOption("`key`", "a string that is not empty", key);
  const checked = checkedStore(store);
  // The create itself refuses parameters that no record can hold, before one is written.
  const kept = keptParams(params) ?? ({} as CreateScreenshotsParams);
  const record = new SetRecord(checked, key, { baseUrl, params: kept });
  await record.load();
  return record;
}
