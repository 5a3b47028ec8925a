import type { FailedJob } from "../types.js";
import { type DetailsOf, JobFailedError, JobTimeoutError } from "./errors.js";
import { messageIn, sentence, shortened } from "./words.js";

/** The error of a wait for a job that failed. */
export function jobFailed(jobId: string, job: FailedJob): JobFailedError {
  const { error }: { error?: unknown } = job;
  const words = messageIn(error);
  const why = words ? `: ${words}` : holdsReason(error) ? ". Its `error` says why" : "";
  return new JobFailedError(sentence(`Job ${shortened(jobId)} failed${why}`), { jobId, job });
}

/** Whether the `error` of a job that failed holds anything at all: `{}` and `{ message: "" }` do not. */
export function holdsReason(error: unknown, depth = 0): boolean {
  if (typeof error === "string") return error.trim() !== "";
  if (typeof error !== "object" || error === null) return Boolean(error);
  return depth > 4 || Object.values(error).some((part) => holdsReason(part, depth + 1));
}

/**
 * The error of a wait whose deadline passed. Its `cause` is why the last poll failed, if it did.
 *
 * @param status the job's, as it was seen last
 */
export function jobTimedOut(
  jobId: string,
  details: DetailsOf<JobTimeoutError>,
  status = details.job?.status,
): JobTimeoutError {
  const words = timedOutWords(jobId, details, `${Math.round(details.elapsedMs)} ms`, status);
  return new JobTimeoutError(`${words} Call \`waitForJob\` with its id to keep waiting.`, {
    jobId,
    ...details,
  });
}

/** That a job did not end within a time, and how it was when last seen. */
export function timedOutWords(
  jobId: string,
  { job }: Pick<JobTimeoutError, "job">,
  time: string,
  status = job?.status,
): string {
  const state = status ? `it was ${shortened(status)} when last seen` : "no poll found it";
  return `Job ${shortened(jobId)} did not end within ${time}: ${state}.`;
}
