import { ScreenshotSetsError } from "../errors/errors.js";
import type { RecordedCall, SetAccess } from "../set-access.js";
import { isReasonOf } from "../time/abortable.js";

/** Why a create is not sent after all: its record could not be saved, another one stands, or it has become too old. */
export class Unsent extends Error {
  constructor(
    readonly why: "not saved" | "another record" | "too old",
    cause?: unknown,
  ) {
    super(why, { cause });
  }
}

/** What the record of a create needs. */
export interface CreateRecord extends Pick<SetAccess, "clock"> {
  signal: AbortSignal | undefined;
  /** A create whose request has not left this long after its record is not sent, in milliseconds. */
  longestUnsentMs: number;
  /** Stores it; resolves to `false` where another one stands. */
  save(): unknown;
  /** Removes it, so that what stood before it stands again. */
  remove(): Promise<void>;
}

/** What became of a create: its answer; why nothing was charged, an `Unsent` where it was not sent; or nobody knows. */
export type CreateEnd<Answer> = { answer: Answer } | { uncharged: unknown } | { unclear: Error };

/**
 * Sends a create once, with a record from immediately before its first request. The record is gone again where nothing was
 * charged.
 *
 * @throws why the record could not be saved, or not be removed
 */
export async function recordedCreate<Answer>(
  send: (call: RecordedCall) => Promise<Answer>,
  { clock, signal, longestUnsentMs, save, remove }: CreateRecord,
): Promise<CreateEnd<Answer>> {
  let ageMs: (() => number) | undefined;
  const record = async () => {
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
  try {
    return { answer: await send({ signal, record }) };
  } catch (error) {
    if (ageMs === undefined) return { uncharged: error };
    if (error instanceof Unsent) {
      if (error.why === "not saved") {
        await remove().catch(() => {});
        throw error.cause;
      }
      if (error.why === "too old") await remove();
      return { uncharged: error };
    }
    const isRefused = error instanceof ScreenshotSetsError && error.charged === "no";
    if (!isRefused && !isReasonOf(signal, error)) return { unclear: error as Error };
    await remove();
    return { uncharged: error };
  }
}

/** How much time has passed, by three clocks: each of them may stand still while a process or a machine sleeps. */
function watchAge(own: SetAccess["clock"]): () => number {
  const ages = [own, Date, performance].map((clock) => {
    const began = clock.now();
    return () => clock.now() - began;
  });
  return () => Math.max(...ages.map((age) => age()));
}
