import type { Job } from "../types.js";

/** A document may let the service leave out of an unfinished job what only ended ones hold. */
export function wholeJob(job: Job): Job {
  const { result = null, error = null } = job;
  return result === job.result && error === job.error ? job : ({ ...job, result, error } as Job);
}
