import type { FailedJob, Job, SucceededJob } from "./types.js";

/** How a job has ended. */
export type JobEnd = "succeeded" | "failed";

/** How a job has ended, by its status; `undefined` where it has not. A status that the SDK is to know is a row. */
const endsByStatus: ReadonlyMap<unknown, JobEnd | undefined> = new Map([
  ["queued", undefined],
  ["running", undefined],
  ["succeeded", "succeeded"],
  ["failed", "failed"],
]);

/**
 * Whether a job has ended, as `succeeded` and `failed` say, and as an `error` or a `result` shows where this version does
 * not know the status. Any other job is to be polled again.
 */
export function isTerminal(job: Job): job is SucceededJob | FailedJob {
  return endOf(job) !== undefined;
}

/**
 * How a job has ended; `undefined` if it has not. The one place that decides. Any status without a row, whether or not
 * the document lists it, says nothing: an `error` then means that the job failed, and a `result` that it succeeded.
 */
export function endOf(job: unknown): JobEnd | undefined {
  const { status, result, error }: { status?: unknown; result?: unknown; error?: unknown } = Object(job);
  if (endsByStatus.has(status)) return endsByStatus.get(status);
  if ((error ?? null) !== null) return "failed";
  return (result ?? null) !== null ? "succeeded" : undefined;
}

/** Whether a status says by itself that the job has not ended. */
export function isOpenStatus(status: string): boolean {
  return endsByStatus.has(status) && endsByStatus.get(status) === undefined;
}
