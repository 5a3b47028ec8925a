/**
 * A worker for a queue that delivers a message again after a delay or after a worker died. It polls the job once for
 * each delivery, so no process waits while the job runs. It sends at most one create for a message. If it dies while the
 * create is in flight, nobody knows whether the set was charged, so the next worker leaves the message to a person.
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

/** What a message carries from one delivery to the next. */
export interface Message {
  wanted: CreateScreenshotsParams;
  /** Set before the request. Without `accepted`, nobody knows whether the request was charged. */
  sending?: true;
  /** Set when the job is accepted. From then on the worker only polls. */
  accepted?: { jobId: string; at: number };
}

/** What the queue should do with the message. */
export type Verdict =
  | { do: "retry"; message: Message; afterMs: number }
  | { do: "finish"; slides: Slide[] }
  | { do: "give up"; reason: string };

/**
 * @param save durably replaces the message while this worker holds it; rejects if another worker has changed it
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
    // If it may have been charged, a person has to look: trying again could pay twice.
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
    if (sending) return { do: "give up", reason: "A worker died while it sent the create (charged: maybe)" };
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

/** Whether the failure can pass by itself, unlike a revoked key or an unknown app. */
function isPassing(error: ScreenshotSetsError): boolean {
  if (error instanceof ApiError) return error.isRetryable;
  return error instanceof ConnectionError || error instanceof TimeoutError;
}
