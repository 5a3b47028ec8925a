/**
 * A worker for a queue that delivers a message again after a delay, or after a worker died. Each delivery takes one step
 * of the set, so no process waits while the job runs, and the set is charged at most once. If a worker dies while the
 * create is in flight, nobody knows whether the set was charged: others wait for three minutes, as that worker may only
 * be slow, and then leave the message to a person.
 */
import {
  CreateInterruptedError,
  type CreateScreenshotsParams,
  JobFailedError,
  JobTimeoutError,
  type ScreenshotSets,
  ScreenshotSetsError,
  type Slide,
} from "screenshot-sets";
import { type SetState, stepSet } from "screenshot-sets/durable";

/** What a message carries from one delivery to the next. */
export interface Message {
  wanted: CreateScreenshotsParams;
  /** Written by `stepSet`. */
  state?: SetState | undefined;
}

/** What the queue should do with the message, which is as `save` stored it last. */
export type Verdict =
  | { do: "retry"; afterMs: number }
  | { do: "finish"; slides: Slide[] }
  | { do: "give up"; reason: string };

/** With these a set is over. After any other error with `charged: "yes"`, its job goes on. */
const lastErrors = [JobFailedError, JobTimeoutError, CreateInterruptedError];

/**
 * @param save durably replaces the message; rejects if it is not the delivered one any more
 */
export async function work(
  client: ScreenshotSets,
  { wanted, state }: Message,
  save: (message: Message) => Promise<void>,
): Promise<Verdict> {
  try {
    const set = { params: wanted, state };
    const result = await stepSet(client, set, (next) => save({ wanted, state: next }));
    if (result.status === "succeeded") return { do: "finish", slides: result.job.result.slides };
    return { do: "retry", afterMs: result.delayMs };
  } catch (error) {
    // The message could not be saved: no create was sent, and the queue delivers it again.
    if (!(error instanceof ScreenshotSetsError)) throw error;
    const isOver = error.charged !== "yes" || lastErrors.some((one) => error instanceof one);
    // A look at the job was refused, for example because the key was revoked.
    if (!isOver) return { do: "retry", afterMs: 60_000 };
    return { do: "give up", reason: `${error.message} (charged: ${error.charged})` };
  }
}
