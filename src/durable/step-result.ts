import type { CreateInterruptedError, ScreenshotSetsError } from "../errors/errors.js";
import type { Credits, Job, SucceededJob } from "../types.js";
import type { SetState } from "./set-state.js";

/** What results have. All of them have each of these names, so that they can be destructured alike. */
interface Result {
  /** How far the set is. */
  status: string;
  /** The state for the next step, as it was saved; `undefined` if the set counts as new again. */
  state: SetState | undefined;
  /** How long to wait before the next step, in whole milliseconds, and no longer than a timer can (24.8 days). */
  delayMs?: number | undefined;
  /** The job that was accepted. */
  jobId?: string | undefined;
  /** What the set did cost, and what was left then, from its acceptance. */
  credits?: Credits | undefined;
  /** The job as this step, or the step that ended the set, found it. */
  job?: Job | undefined;
  /** Why the set is not planned. */
  error?: ScreenshotSetsError | undefined;
  /** What the set did to the credits. */
  charged?: "no" | "maybe" | "yes" | undefined;
}

/** A result that lacks some of the names. */
type Without<Names extends keyof Result> = Result & { [Name in Names]?: undefined };

/** Take the next step after `delayMs`. An `error` goes away by itself, or once somebody has seen to it, such as a 402. */
export interface WaitingStep extends Without<"charged"> {
  status: "waiting";
  delayMs: number;
}

/** The set is planned. */
export interface SucceededStep extends Without<"delayMs" | "error" | "charged"> {
  status: "succeeded";
  jobId: string;
  credits: Credits;
  job: SucceededJob;
}

/** The job failed (`charged: "yes"`), or the service refused the set, which then counts as new again (`"no"`). */
export interface FailedStep extends Without<"delayMs" | "job"> {
  status: "failed";
  error: ScreenshotSetsError;
  charged: "yes" | "no";
}

/** The set may have been charged. No step ever retries it. */
export interface UncertainStep extends Without<"delayMs" | "jobId" | "credits" | "job"> {
  status: "uncertain";
  error: CreateInterruptedError;
  charged: "maybe";
}

/** What a step of a set found or did. What ends a set is a result, and never thrown. */
export type StepResult = WaitingStep | SucceededStep | FailedStep | UncertainStep;
