/** How a step tells by the age of a record whether its create may be in flight, in milliseconds. Tests shorten these times. */
export const recordAge = {
  /** A create whose request has not left after this time is not sent; its record is removed. */
  longestUnsentMs: 60_000,
  /** The same in a batch, whose lock another process takes over after 15 seconds without a sign of life. */
  longestUnsentInBatchMs: 10_000,
  /** After its record, a create counts as in flight for the client's time-out, but no longer than this, */
  longestTimeoutMs: 600_000,
  /** and for this time more. */
  graceMs: 120_000,
};
