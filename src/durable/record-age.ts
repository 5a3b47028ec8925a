/**
 * How a step tells by its age whether the create of a record may still be under way, in milliseconds. Tests shorten these
 * times.
 */
export const recordAge = {
  /** A create that has not left so long after its record, since the client pauses or its key does not come, is taken back. */
  longestUnsentMs: 60_000,
  /** A longer time-out of the client makes no record count as young for longer. */
  longestTimeoutMs: 600_000,
  /** How much older than the client's time-out a young record may be. */
  moreMs: 120_000,
};
