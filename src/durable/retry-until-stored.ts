import { systemClock } from "../time/clock.js";

/**
 * How long storing what follows a create is retried, in milliseconds: longer than an outage of a database usually
 * lasts, as the id of a paid job does not come again. The pauses double from the first to the longest. Tests shorten these
 * times.
 */
export const storeRetries = { firstPauseMs: 250, longestPauseMs: 8_000, allMs: 120_000 };

/**
 * Retries a write until it resolves, for two minutes; then it rejects as the last try did.
 *
 * @param isFutile whether no further try can succeed after such an error
 */
export async function retryUntilStored<Result>(
  attempt: () => Promise<Result>,
  isFutile: (error: unknown) => boolean = () => false,
): Promise<Result> {
  const { firstPauseMs, longestPauseMs, allMs } = storeRetries;
  for (let pauseMs = firstPauseMs, waitedMs = 0; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (waitedMs >= allMs || isFutile(error)) throw error;
    }
    await systemClock.sleep(pauseMs);
    waitedMs += pauseMs;
  }
}
