import type { FailedJob, Job } from "../types.js";
import { copyOf, JobFailedError, JobTimeoutError, ScreenshotSetsError } from "./errors.js";
import { messageIn, sentence, shortened } from "./words.js";

/** The error of one who waits for a job: each has a copy of their own, and it names the job. */
export function ownError(error: unknown, jobId: string): unknown {
  return error instanceof ScreenshotSetsError ? copyOf(error, { jobId: error.jobId ?? jobId }) : error;
}

export function jobFailed(jobId: string, job: FailedJob): JobFailedError {
  const words = messageIn(job.error);
  const why = words ? `: ${words}` : job.error ? ". Its `error` says why" : "";
  return new JobFailedError(sentence(`Job ${shortened(jobId)} failed${why}`), { jobId, job });
}

interface Unended {
  jobId: string;
  /** As it was last seen. */
  job: Job | undefined;
  polls: number;
  elapsedMs: number;
  /** Why the last poll failed, where it did. */
  cause: unknown;
}

export function jobTimedOut(unended: Unended): JobTimeoutError {
  const { jobId, job, elapsedMs } = unended;
  const state = job ? `it was ${shortened(job.status)} when last seen` : "no poll was answered";
  return new JobTimeoutError(
    `Job ${shortened(jobId)} did not end within ${Math.round(elapsedMs)} ms: ${state}. It goes on: please wait for it again by its id.`,
    unended,
  );
}
