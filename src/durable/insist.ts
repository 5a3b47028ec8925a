import { systemClock } from "../time/clock.js";

/**
 * How long what follows a create is tried to be stored, in milliseconds: longer than an outage of a database usually
 * lasts, as the id of a paid job does not come again. The pauses double from the first to the longest. Tests shorten these
 * times.
 */
export const insistence = { firstPauseMs: 250, longestPauseMs: 8_000, allMs: 120_000 };

/**
 * Tries something until it resolves, for two minutes; then it rejects as the last try did.
 *
 * @param isFutile whether no further try can succeed after such an error
 */
export async function insist<Result>(
  attempt: () => Promise<Result>,
  isFutile: (error: unknown) => boolean = () => false,
): Promise<Result> {
  const { firstPauseMs, longestPauseMs, allMs } = insistence;
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
