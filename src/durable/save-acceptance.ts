import type { SetAccess } from "../set-access.js";
import { after } from "../time/clock.js";
import { holdClock } from "../time/clock-hooks.js";

/** How long the id of a paid job may be in no record before it is logged, in milliseconds. */
const longestUntoldMs = 5_000;

/**
 * Saves an acceptance, and logs the id of its job unless it is saved within seconds: a process that is ended before that
 * leaves it nowhere else.
 *
 * @param save resolves to `false` where another record stands
 * @param paid the job, and how its set is named where it is kept
 */
export async function saveAcceptance(
  save: () => unknown,
  { clock, log }: Pick<SetAccess, "clock" | "log">,
  paid: { jobId: string; key?: string },
): Promise<void> {
  let isTold = false;
  const tell = (message: string, error?: unknown) => {
    if (!isTold) log.error(message, { ...paid, ...(error !== undefined && { error }) });
    isTold = true;
  };
  const saved = (async () => save())();
  clock[holdClock]?.(saved);
  const cancel = after(clock, longestUntoldMs, () =>
    tell("The id of a paid job has not been stored for 5 s"),
  );
  try {
    if ((await saved) === false) throw new Error("Another record stands in its place.");
    if (isTold) log.warn("The id of a paid job was stored after all", paid);
  } catch (error) {
    tell("The id of a paid job may not be stored", error);
    throw error;
  } finally {
    cancel();
  }
}
