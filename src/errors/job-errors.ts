import type { FailedJob } from "../types.js";
import { copyOf } from "./copy-of.js";
import { ApiError, type DetailsOf, JobFailedError, JobTimeoutError, ScreenshotSetsError } from "./errors.js";
import { messageIn, sentence, shortened } from "./words.js";

/** A copy of an error for one waiter of a job, with the id of the job. */
export function ownError(error: unknown, jobId: string): unknown {
  return error instanceof ScreenshotSetsError ? copyOf(error, { jobId: error.jobId ?? jobId }) : error;
}

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

/** The error of a wait whose deadline passed. Its `cause` is why the last poll failed, if it did. */
export function jobTimedOut(jobId: string, details: DetailsOf<JobTimeoutError>): JobTimeoutError {
  const words = timedOutWords(jobId, details, `${Math.round(details.elapsedMs)} ms`);
  return new JobTimeoutError(`${words} Call \`waitForJob\` with its id to keep waiting.`, {
    jobId,
    ...details,
  });
}

/** That a job did not end within a time, and how it was when last seen. */
export function timedOutWords(
  jobId: string,
  { job, cause }: Pick<JobTimeoutError, "job" | "cause">,
  time: string,
): string {
  const unseen = cause instanceof ApiError ? "no poll found it" : "no poll was answered";
  const state = job ? `it was ${shortened(job.status)} when last seen` : unseen;
  return `Job ${shortened(jobId)} did not end within ${time}: ${state}.`;
}
