/**
 * A worker on a queue that hands a message out again after a delay, or when a worker died. It looks at a job once a
 * message and holds no process while the job runs. It sends one create for a message at the most: stopped while that
 * is in flight, it does not know whether it was charged, and leaves the message to a person.
 */
import {
  ApiError,
  ConnectionError,
  type CreateScreenshotsParams,
  isTerminal,
  pollDelayMs,
  type ScreenshotSets,
  ScreenshotSetsError,
  type Slide,
  TimeoutError,
} from "screenshot-sets";

/** What a message carries from one look to the next. */
export interface Message {
  wanted: CreateScreenshotsParams;
  /** There from before the request on: found without `accepted`, nobody knows what became of that. */
  sending?: true;
  /** There from the acceptance on: with it, the worker only looks. */
  accepted?: { jobId: string; at: number };
}

/** What the worker wants done with its message. */
export type Verdict =
  | { do: "retry"; message: Message; afterMs: number }
  | { do: "finish"; slides: Slide[] }
  | { do: "give up"; reason: string };

/**
 * @param save replaces the message, durably, while it is in hand; rejects where another worker has changed it
 */
export async function work(
  client: ScreenshotSets,
  message: Message,
  save: (message: Message) => Promise<void>,
  now: () => number = Date.now,
): Promise<Verdict> {
  try {
    return await step(client, message, save, now);
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    // What may have been charged is for a person to look at: tried again, it would be paid for once more.
    if (error.charged !== "no" || !isPassing(error)) {
      return { do: "give up", reason: `${error.message} (charged: ${error.charged})` };
    }
    return { do: "retry", message, afterMs: 30_000 };
  }
}

async function step(
  client: ScreenshotSets,
  { wanted, sending, accepted }: Message,
  save: (message: Message) => Promise<void>,
  now: () => number,
): Promise<Verdict> {
  if (accepted === undefined) {
    if (sending) return { do: "give up", reason: "A worker died while it sent this (charged: maybe)" };
    await save({ wanted, sending: true });
    const { jobId } = await client.screenshots.create(wanted);
    // The id goes back to the queue before anything else can fail.
    return { do: "retry", message: { wanted, accepted: { jobId, at: now() } }, afterMs: pollDelayMs(0) };
  }
  const job = await client.jobs.get(accepted.jobId);
  if (!isTerminal(job)) {
    return { do: "retry", message: { wanted, accepted }, afterMs: pollDelayMs(now() - accepted.at) };
  }
  if (job.status === "succeeded") return { do: "finish", slides: job.result.slides };
  return { do: "give up", reason: `The job failed: ${JSON.stringify(job.error)}` };
}

/** Whether it can go away by itself, unlike a revoked key or an app that is unknown. */
function isPassing(error: ScreenshotSetsError): boolean {
  if (error instanceof ApiError) return error.isRetryable;
  return error instanceof ConnectionError || error instanceof TimeoutError;
}
