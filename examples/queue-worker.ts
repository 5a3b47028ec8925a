/**
 * A worker for a queue that delivers a message again after a delay, or after a worker died. Each delivery takes one step
 * of the set, so no process waits while the job runs, and the set is charged at most once, however often its message is
 * delivered. If a worker dies while the create is in flight, nobody knows whether the set was charged: others wait for
 * three minutes, as that worker may only be slow, and then leave the message to a person.
 */
import type { CreateScreenshotsParams, ScreenshotSets, Slide } from "screenshot-sets";
import { type SetStore, stepSet } from "screenshot-sets/durable";

export interface Message {
  /** Names the order: the same one is planned once. */
  id: string;
  wanted: CreateScreenshotsParams;
}

/** What the queue should do with the message. */
export type Verdict =
  | { do: "retry"; afterMs: number }
  | { do: "finish"; slides: Slide[] }
  | { do: "give up"; reason: string };

/** @param store such as `postgresStore` of `screenshot-sets/postgres`; where it fails, the queue delivers the message again */
export async function work(
  client: ScreenshotSets,
  store: SetStore,
  { id, wanted }: Message,
): Promise<Verdict> {
  const result = await stepSet(client, { key: id, params: wanted, store });
  switch (result.status) {
    case "waiting":
      return { do: "retry", afterMs: result.delayMs };
    case "succeeded":
      return { do: "finish", slides: result.job.result.slides };
    default:
      return { do: "give up", reason: `${result.error.message} (charged: ${result.charged})` };
  }
}
