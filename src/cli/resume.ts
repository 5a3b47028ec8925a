import {
  ApiError,
  ConnectionError,
  JobFailedError,
  JobTimeoutError,
  ScreenshotSetsError,
  TimeoutError,
} from "../index.js";
import { Interrupt } from "./interrupt.js";
import { shellQuoted } from "./output.js";
import { DeliveryError, type Session } from "./session.js";

/** The job, if there is one, whose result can still be had. */
export function resumableJob(error: unknown, { accepted, waitsFor }: Session): string | undefined {
  if (error instanceof JobFailedError) return undefined;
  if (accepted) return accepted.jobId;
  if (waitsFor !== undefined && passesInWait(error)) return waitsFor;
  // An answer that was not valid may still have named the job that it charged for.
  return error instanceof ScreenshotSetsError && error.charged !== "no" ? error.jobId : undefined;
}

/** Whether another wait for the same job may bring its result. */
function passesInWait(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
  const passing = [Interrupt, DeliveryError, JobTimeoutError, ConnectionError, TimeoutError];
  return passing.some((kind) => error instanceof kind);
}

/** The command that resumes the wait for a job, ready to be pasted into a shell. */
export function resumeCommand(jobId: string, { json, out }: { json?: boolean; out?: string }): string {
  const flags = json ? ["--json"] : [];
  if (out !== undefined) flags.push(`--out${out.startsWith("-") ? "=" : " "}${shellQuoted(out)}`);
  const id = shellQuoted(jobId);
  const args = jobId.startsWith("-") ? [...flags, "--", id] : [id, ...flags];
  return ["screenshot-sets wait", ...args].join(" ");
}
