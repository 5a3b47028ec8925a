import { JobFailedError, ScreenshotSetsError } from "../index.js";
import { Interrupt } from "./interrupt.js";
import { resumableJob } from "./resume.js";
import type { Session } from "./session.js";

/** 1 failed: the job, or the service · 3 charged, or maybe charged, and no result · more than 128 interrupted. */
export function exitCodeOf(error: unknown, session: Session | undefined): number {
  if (error instanceof Interrupt) return error.exitCode;
  if (error instanceof JobFailedError) return 1;
  if (resumableJob(error, session) !== undefined) return 3;
  return error instanceof ScreenshotSetsError && error.charged !== "no" ? 3 : 1;
}
