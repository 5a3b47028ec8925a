import type { FailedJob, Job, SucceededJob } from "../types.js";

/**
 * Whether a job has ended: `succeeded` or `failed`. Any other status, one
 * that this version does not know included, is a job to poll again.
 */
export function isTerminal(job: Job): job is SucceededJob | FailedJob {
  return job?.status === "succeeded" || job?.status === "failed";
}
