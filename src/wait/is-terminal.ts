import { endOf } from "../job-end.js";
import type { FailedJob, Job, SucceededJob } from "../types.js";

/**
 * Whether a job has ended: its status is `succeeded` or `failed`, or one that this version does not know, and its
 * `error` or `result` is not null. Any other job is to be polled again.
 */
export function isTerminal(job: Job): job is SucceededJob | FailedJob {
  return endOf(job) !== undefined;
}
