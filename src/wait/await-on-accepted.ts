import type { Log } from "../secrets/log.js";
import { type Clock, endsWithin } from "../time/clock.js";
import { type ClockHooks, holdClock } from "../time/clock-hooks.js";
import type { AcceptedJob } from "../types.js";

/** For how long `onAccepted` may keep a mock's virtual time from passing, in real milliseconds: enough to write a file. */
const longestHoldMs = 1000;

/**
 * Awaits the user's `onAccepted`, but no longer than the wait that follows may last: that one then ends as it has to.
 *
 * @throws what `onAccepted` throws
 */
export async function awaitOnAccepted(
  onAccepted: (accepted: AcceptedJob) => unknown,
  accepted: AcceptedJob,
  {
    clock,
    log,
    timeoutMs,
    signal,
  }: { clock: Clock & ClockHooks; log: Log; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  const { jobId } = accepted;
  const told = (async () => onAccepted(accepted))();
  told.catch((error) => log.error("onAccepted threw after a job was accepted", { jobId, error }));
  clock[holdClock]?.(told, longestHoldMs);
  if (await endsWithin(clock, timeoutMs, signal, told)) return;
  log.warn("Went on without waiting for onAccepted any longer", { jobId });
}
