import { checkedState, type SetState } from "../durable/set-state.js";
import { ConfigurationError } from "../errors/errors.js";
import { shortened } from "../errors/words.js";
import { isRecord } from "../schema/parse.js";
import type { CreateScreenshotsParams, FailedJob, SucceededJob } from "../types.js";

const version = 1;

type EndedSet = { status: "succeeded"; job: SucceededJob } | { status: "failed"; job: FailedJob };

/** What happened to a create that may have been charged. */
export interface StoredCause {
  name: string;
  message: string;
  /** The status of the answer, if there was one. */
  status?: number;
  /** The code of the failure, such as `ECONNRESET`. */
  code?: string;
}

/** What a store keeps of a set: plain JSON, without the key. A set that was not charged is kept as `null`. */
export interface StoredSet {
  /** The version of this form. */
  version: typeof version;
  /** The address of the service that it was ordered from. */
  baseUrl?: string | undefined;
  /** What the set was ordered with. */
  params: CreateScreenshotsParams;
  /** How far it came, as `stepSet` of `screenshot-sets/durable` has it; with the credits, once they are known. */
  state: SetState;
  /** Why nobody knows whether its create was accepted. */
  cause?: StoredCause | undefined;
  /** How its job ended, if it did. */
  ended?: EndedSet | undefined;
  /** Earlier orders of the set, each charged or maybe charged, that `again` repeated. */
  earlier?: readonly SetState[] | undefined;
}

export function storedSet(set: Omit<StoredSet, "version">): StoredSet {
  return { version, ...set };
}

/** What a record keeps of an error: no body, which may hold anything. */
export function causeOf(error: unknown): StoredCause {
  const { name = "Error", message = String(error), status, code } = Object(error) as Partial<StoredCause>;
  return {
    ...{ name: String(name), message: shortened(String(message)) },
    ...(typeof status === "number" && { status }),
    ...(typeof code === "string" && { code }),
  };
}

/** A kept cause as an error again. */
export function errorOf({ message, ...fields }: StoredCause): Error {
  return Object.assign(new Error(message), fields);
}

/**
 * Checks what a store has of a set; `undefined` for a new one.
 *
 * @param baseUrl the client's; `undefined` for what only stands for a client
 * @throws {ConfigurationError} for what `runBatch` did not save, and for a set that was ordered from another service or
 *   with other parameters
 */
export function checkedSet(
  key: string,
  stored: unknown,
  params: CreateScreenshotsParams,
  baseUrl: string | undefined,
): StoredSet | undefined {
  if (stored === undefined || stored === null) return undefined;
  if (!isStoredSet(stored)) {
    throw new ConfigurationError(
      `Expected the store to have for ${named(key)} what \`runBatch\` saved, in a version that it knows. Nothing was sent.`,
    );
  }
  checkService(`The set ${named(key)}`, stored.baseUrl, baseUrl);
  const changed = changedFields(stored.params, params);
  if (changed.length === 0) return stored;
  const isOnlyApp = changed.join() === "appId";
  const advice = isOnlyApp
    ? `\`apps.create\` may return another id each time: pass ${named(String(stored.params.appId))}, that of the first run. Under another key the set would be paid for again.`
    : "Give the changed set another key.";
  throw new ConfigurationError(
    `The set ${named(key)} was ordered with other parameters before (${changed.join(", ")}), and may be paid for. Nothing was sent. ${advice}`,
  );
}

function isStoredSet(stored: unknown): stored is StoredSet {
  const { version: own, params, state, ended, earlier = [] } = Object(stored) as Partial<StoredSet>;
  const isEnded = ended === undefined || (/^(succeeded|failed)$/.test(ended?.status) && isRecord(ended.job));
  return (
    own === version &&
    isRecord(params) &&
    isEnded &&
    Array.isArray(earlier) &&
    [state, ...earlier].every(isState)
  );
}

function isState(state: unknown): boolean {
  try {
    return checkedState(state) !== undefined;
  } catch {
    return false;
  }
}

/**
 * @param what what was ordered, as the subject of a sentence
 * @throws {ConfigurationError} if it was ordered from another service
 */
export function checkService(what: string, before: string | undefined, now: string | undefined): void {
  if (before === undefined || now === undefined || before === now) return;
  throw new ConfigurationError(
    `${what} was ordered from ${before}, and the client's address is ${now}. Nothing was sent. Use another state for another service; if the service has moved, change the address in the state.`,
  );
}

/** A key or an id for a message, on one line and not too long. */
export const named = (key: string) => `"${shortened(key)}"`;

/** The fields in which two objects differ, whatever their order. */
export function changedFields(stored: object, given: object): string[] {
  const [before, after] = [stored, given] as Record<string, unknown>[];
  const fields = new Set([...Object.keys(stored), ...Object.keys(given)]);
  return [...fields].filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]));
}
