import type { SetAccess } from "../set-access.js";

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

/** Why a create is not sent after all: its record could not be saved, another one stands, or it has become too old. */
export class Unsent extends Error {
  constructor(
    readonly why: "not saved" | "another record" | "too old",
    cause?: unknown,
  ) {
    super(why, { cause });
  }
}

/**
 * Records a create once, before its first request, and lets each of its requests leave only as long as the record is
 * younger than `longestUnsentMs`.
 *
 * @param save resolves to `false` where another record stands
 * @returns what to call immediately before each request; it rejects with an `Unsent` or with the reason of the signal
 */
export function recorder(
  { clock }: Pick<SetAccess, "clock">,
  signal: AbortSignal | undefined,
  longestUnsentMs: number,
  save: () => unknown,
): () => Promise<void> {
  let ageMs: (() => number) | undefined;
  return async () => {
    if (ageMs === undefined) {
      ageMs = watchAge(clock);
      let isStored: unknown;
      try {
        isStored = await save();
      } catch (cause) {
        throw new Unsent("not saved", cause);
      }
      if (isStored === false) throw new Unsent("another record");
    }
    signal?.throwIfAborted();
    if (ageMs() > longestUnsentMs) throw new Unsent("too old");
  };
}

/** How much time has passed, by three clocks: each of them may stand still while a process or a machine sleeps. */
function watchAge(own: SetAccess["clock"]): () => number {
  const ages = [own, Date, performance].map((clock) => {
    const began = clock.now();
    return () => clock.now() - began;
  });
  return () => Math.max(...ages.map((age) => age()));
}
