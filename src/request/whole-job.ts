import type { Job } from "../types.js";

/** Adds the fields that a document may allow the service to omit from unfinished jobs. */
export function wholeJob(job: Job): Job {
  const { result = null, error = null }: { result?: unknown; error?: unknown } = job;
  return { ...job, result, error } as Job;
}
