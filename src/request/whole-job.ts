import type { Job } from "../types.js";

/** A document may let the service leave out of an unfinished job what only ended ones hold. */
export function wholeJob(job: Job): Job {
  const { result = null, error = null }: { result?: unknown; error?: unknown } = job;
  return { ...job, result, error } as Job;
}
