import * as bullmq from "bullmq";
import {
  CreateInterruptedError,
  JobFailedError,
  JobTimeoutError,
  ScreenshotSetsError,
} from "../../errors/errors.js";

/**
 * The error to throw for an error of a step. It ends the job for good if a retry is useless, or if a person has to
 * check first. Redis keeps only its message.
 */
export function endForGood(error: unknown): unknown {
  if (!(error instanceof ScreenshotSetsError) || !isFinal(error)) return error;
  const { name, message, charged, jobId } = error;
  const facts = `(charged: ${charged}, jobId: ${jobId ?? "unknown"})`;
  const final = new bullmq.UnrecoverableError(`${name}: ${message} ${facts}`);
  return Object.assign(final, { cause: error, charged, jobId });
}

function isFinal(error: ScreenshotSetsError): boolean {
  const classes = [JobFailedError, JobTimeoutError, CreateInterruptedError];
  return error.charged === "maybe" || classes.some((one) => error instanceof one);
}
