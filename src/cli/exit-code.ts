import { JobFailedError, JobTimeoutError, ScreenshotSetsError } from "../index.js";
import { Interrupt } from "./interrupt.js";
import { DeliveryError, type Session } from "./session.js";

/** 1 failed: the job, or the service · 3 charged, or maybe charged, and no result · more than 128 interrupted. */
export function exitCodeOf(error: unknown, session: Session | undefined): number {
  if (error instanceof Interrupt) return error.exitCode;
  if (error instanceof JobFailedError) return 1;
  if (session?.accepted || error instanceof JobTimeoutError) return 3;
  if (error instanceof DeliveryError) return session?.waitsFor === undefined ? 1 : 3;
  return error instanceof ScreenshotSetsError && error.charged !== "no" ? 3 : 1;
}
