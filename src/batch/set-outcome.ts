import type { ScreenshotSetsError } from "../errors/errors.js";
import type { Credits, SucceededJob } from "../types.js";

/** Names that an outcome does not have, so that all outcomes can be destructured alike. */
type Without<Names extends string> = { [Name in Names]?: undefined };

/** The set is planned. */
export interface SucceededSet extends Without<"error" | "charged" | "reason"> {
  key: string;
  status: "succeeded";
  jobId: string;
  job: SucceededJob;
  /** What it did cost, from its acceptance. */
  credits: Credits;
}

/** The job failed, or the service refused the set. */
export interface FailedSet extends Without<"job" | "reason"> {
  key: string;
  status: "failed";
  error: ScreenshotSetsError;
  /** `"yes"`: the job failed, and later runs say the same. `"no"`: the set was refused, and a later run tries again. */
  charged: "yes" | "no";
  jobId?: string | undefined;
  credits?: Credits | undefined;
}

/** The set may have been charged. It is never sent again. */
export interface UncertainSet extends Without<"job" | "jobId" | "credits" | "reason"> {
  key: string;
  status: "uncertain";
  error: ScreenshotSetsError;
  charged: "maybe";
}

/** The set was accepted and paid for, and its job was not seen to end. A later run goes on with it. */
export interface WaitingSet extends Without<"job" | "charged" | "reason"> {
  key: string;
  status: "waiting";
  jobId: string;
  credits: Credits;
  /** Why it is not waited for any longer: a `JobTimeoutError`, for example. Nothing if the batch was aborted. */
  error?: ScreenshotSetsError | undefined;
}

/** Nothing was charged. A later run takes the set up. */
export interface SkippedSet extends Without<"job" | "jobId" | "credits" | "error" | "charged"> {
  key: string;
  status: "skipped";
  /** The set would pass `maxCredits`, the account has no credits (a 402), or the batch was aborted. */
  reason: "budget" | "credits" | "aborted";
}

/** How a set of a batch ended in this run. */
export type SetOutcome = SucceededSet | FailedSet | UncertainSet | WaitingSet | SkippedSet;
