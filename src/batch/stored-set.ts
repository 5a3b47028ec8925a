import type { SetState } from "../durable/set-state.js";
import { ConfigurationError } from "../errors/errors.js";
import { shortened } from "../errors/words.js";
import type { CreateScreenshotsParams, FailedJob, SucceededJob } from "../types.js";

const version = 1;

type EndedSet = { status: "succeeded"; job: SucceededJob } | { status: "failed"; job: FailedJob };

/** What a store keeps of a set: plain JSON, without the key. A set that was not charged is kept as `null`. */
export interface StoredSet {
  /** The version of this form. */
  version: typeof version;
  /** What the set was ordered with. */
  params: CreateScreenshotsParams;
  /** How far it came, as `stepSet` of `screenshot-sets/durable` has it; with the credits, once they are known. */
  state: SetState;
  /** How its job ended, if it did. */
  ended?: EndedSet;
}

export function storedSet(
  params: CreateScreenshotsParams,
  state: SetState,
  ended?: StoredSet["ended"],
): StoredSet {
  return { version, params, state, ...(ended && { ended }) };
}

/**
 * Checks what a store has of a set; `undefined` for a new one.
 *
 * @throws {ConfigurationError} for what `runBatch` did not save, and for a set that was ordered with other parameters
 */
export function checkedSet(
  key: string,
  stored: unknown,
  params: CreateScreenshotsParams,
): StoredSet | undefined {
  if (stored === undefined || stored === null) return undefined;
  const set = stored as StoredSet;
  if (set.version !== version || typeof set.state !== "object" || typeof set.params !== "object") {
    throw new ConfigurationError(
      `Expected the store to have for ${named(key)} what \`runBatch\` saved, in a version that it knows. Nothing was sent.`,
    );
  }
  const changed = changedFields(set.params, params);
  if (changed.length === 0) return set;
  const isOnlyApp = changed.join() === "appId";
  const advice = isOnlyApp
    ? `\`apps.create\` may return another id each time: pass ${named(String(set.params.appId))}, that of the first run. Under another key the set would be paid for again.`
    : "Give the changed set another key.";
  throw new ConfigurationError(
    `The set ${named(key)} was ordered with other parameters before (${changed.join(", ")}), and may be paid for. Nothing was sent. ${advice}`,
  );
}

/** A key or an id for a message, on one line and not too long. */
export const named = (key: string) => `"${shortened(key)}"`;

function changedFields(stored: object, given: object): string[] {
  const [before, after] = [stored, given] as Record<string, unknown>[];
  const fields = new Set([...Object.keys(stored), ...Object.keys(given)]);
  return [...fields].filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]));
}
