import { CreateInterruptedError } from "../errors/errors.js";
import { shortened } from "../errors/words.js";
import type { Settings } from "../options/options.js";
import { callback, type Table } from "../options/read-options.js";
import type { Log } from "../secrets/log.js";
import { abortable, isReasonOf } from "../time/abortable.js";
import { after } from "../time/clock.js";
import { holdClock } from "../time/clock-hooks.js";
import type { AcceptedJob } from "../types.js";
import { type CheckedWaitOptions, type WaitOptions, waitTable } from "./wait-options.js";

/** Options of `createAndWait`: of the create and of the wait. */
export interface CreateAndWaitOptions extends WaitOptions {
  /**
   * Called and awaited with the accepted job before the first poll: the place to save its id. It is awaited no longer
   * than the signal and the deadline allow; the job id is logged then. If it throws, `createAndWait` rejects with a
   * `CreateInterruptedError`, which has `charged: "yes"`, the `jobId`, and what was thrown as its `cause`.
   */
  onAccepted?: ((accepted: AcceptedJob) => unknown) | undefined;
}

/** The options of `createAndWait`. */
export const createAndWaitTable = {
  ...waitTable,
  onAccepted: callback<(accepted: AcceptedJob) => unknown>(),
} satisfies Table<CreateAndWaitOptions>;

/**
 * Awaits the user's `onAccepted`, for at most the time-out of the wait that follows, which then ends by itself.
 *
 * @throws {CreateInterruptedError} if `onAccepted` throws
 */
export async function awaitOnAccepted(
  onAccepted: (accepted: AcceptedJob) => unknown,
  accepted: AcceptedJob,
  { timeoutMs, signal }: Pick<CheckedWaitOptions, "timeoutMs" | "signal">,
  clock: Settings["clock"],
  log: Log,
): Promise<void> {
  const { jobId } = accepted;
  const told = (async () => onAccepted(accepted))();
  told.catch((error) => log.error("onAccepted threw after a job was accepted", { jobId, error }));
  clock[holdClock]?.(told);
  const isTold = abortable<boolean>(signal, (resolve, reject) => {
    told.then(() => resolve(true), reject);
    return after(clock, timeoutMs, () => resolve(false));
  }).catch((cause) => {
    if (isReasonOf(signal, cause)) return false;
    throw new CreateInterruptedError(
      `Job ${shortened(jobId)} was accepted and charged, and \`onAccepted\` failed: call \`waitForJob\` with its id.`,
      { charged: "yes", jobId, cause },
    );
  });
  if (await isTold) return;
  log.warn("Went on without waiting for onAccepted any longer", { jobId });
}
