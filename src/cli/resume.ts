import {
  ApiError,
  ConnectionError,
  JobFailedError,
  JobTimeoutError,
  RateLimitError,
  ScreenshotSetsError,
  ServerError,
  TimeoutError,
} from "../index.js";
import { Interrupt } from "./interrupt.js";
import { DeliveryError, type Session, type SessionFlags } from "./session.js";
import { shellQuoted } from "./shell-quoted.js";

/** The job, if there is one, whose result can still be waited for. */
export function resumableJob(error: unknown, session: Session | undefined): string | undefined {
  if (error instanceof JobFailedError) return undefined;
  if (session?.accepted) return session.accepted.jobId;
  if (session?.waitsFor !== undefined && isWorthResuming(error)) return session.waitsFor;
  // An answer that was no good may still have named the job that it charged for.
  return error instanceof ScreenshotSetsError && error.charged !== "no" ? error.jobId : undefined;
}

/** What may end a wait although waiting for the same job again may bring its result. */
const passing = [
  Interrupt,
  JobTimeoutError,
  DeliveryError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
];

function isWorthResuming(error: unknown): boolean {
  return passing.some((kind) => error instanceof kind) || (error instanceof ApiError && error.status === 408);
}

/** The command that takes up the wait for a job, ready to be pasted into a shell. */
export function resumeCommand(jobId: string, { json, out }: SessionFlags): string {
  const flags = [...(json ? ["--json"] : []), ...(out === undefined ? [] : outFlag(out))];
  const id = shellQuoted(jobId);
  const args = jobId.startsWith("-") ? [...flags, "--", id] : [id, ...flags];
  return ["screenshot-sets wait", ...args].join(" ");
}

function outFlag(out: string): string[] {
  return out.startsWith("-") ? [`--out=${shellQuoted(out)}`] : ["--out", shellQuoted(out)];
}
