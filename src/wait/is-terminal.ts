import { jobStatuses } from "../generated/values.js";
import type { FailedJob, Job, SucceededJob } from "../types.js";

/**
 * Whether a job has ended: its status is `succeeded` or `failed`, or this version does not know its status and its
 * `error` or `result` is not null. Any other job is to be polled again.
 */
export function isTerminal(job: Job): job is SucceededJob | FailedJob {
  return endOf(job) !== undefined;
}

/** How a job has ended; `undefined` if it has not. The one place that decides. */
export function endOf(job: Job): "succeeded" | "failed" | undefined {
  const { status, result, error }: { status?: unknown; result?: unknown; error?: unknown } = Object(job);
  if (status === "succeeded" || status === "failed") return status;
  if (jobStatuses.some((known) => known === status)) return undefined;
  if ((error ?? null) !== null) return "failed";
  return (result ?? null) !== null ? "succeeded" : undefined;
}
