import type { SetAccess } from "../set-access.js";
import { refusalNotSaved } from "./interruptions.js";
import type { SendingSet, SetState } from "./set-state.js";

/**
 * Stores a state of a set, `undefined` for one that counts as new, in place of the very value that was loaded or last
 * saved. Resolves to `false` where that is not what is stored.
 */
export type SaveState = (next: SetState | undefined, previous: SetState | undefined) => unknown;

/** Removes the record of a create that was refused or not sent: what stood before it stands again. */
export async function rollBack(
  save: SaveState,
  before: SetState | undefined,
  sending: SendingSet,
): Promise<void> {
  try {
    await save(before, sending);
  } catch (cause) {
    throw refusalNotSaved(cause);
  }
}

/** Saves what a later step could do without: it would ask once more, or tell less. */
export async function keep(
  save: SaveState,
  next: SetState,
  previous: SetState,
  log: SetAccess["log"],
): Promise<boolean> {
  try {
    return (await save(next, previous)) !== false;
  } catch (error) {
    log.warn("How a set ended could not be stored", { step: next.step, error });
    return false;
  }
}
