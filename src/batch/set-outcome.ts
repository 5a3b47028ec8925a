import type { Charged, ScreenshotSetsError } from "../errors/errors.js";
import type { Credits, SucceededJob } from "../types.js";

/** What outcomes have. All of them have each of these names, so that they can be destructured alike. */
interface Outcome {
  /** The key of the set. */
  key: string;
  /** How the set ended in this run. */
  status: string;
  /** The job that was accepted. */
  jobId?: string | undefined;
  /** The planned set. */
  job?: SucceededJob | undefined;
  /** What the set did cost, and what was left then, from its acceptance. */
  credits?: Credits | undefined;
  /** Why the set is not planned. */
  error?: ScreenshotSetsError | undefined;
  /** What the set did to the credits. */
  charged?: Charged | undefined;
  /** Why the set was not begun, or not ordered once more. */
  reason?: Reason | undefined;
}

/**
 * The set would pass `maxCredits`, the account has no credits (a 402), two creates in a row had no clear answer, as in an
 * outage, or the batch was aborted or ended.
 */
type Reason = "budget" | "credits" | "unclear" | "aborted";

/** An outcome that lacks some of the names. */
type Without<Names extends keyof Outcome> = Outcome & { [Name in Names]?: undefined };

/** The set is planned. */
export interface SucceededSet extends Without<"error" | "charged" | "reason"> {
  status: "succeeded";
  jobId: string;
  job: SucceededJob;
  credits: Credits;
}

/** The job failed, or the service refused the set. */
export interface FailedSet extends Without<"job"> {
  status: "failed";
  error: ScreenshotSetsError;
  /** `"yes"`: the job failed, and later runs say the same. `"no"`: the set was refused, and a later run tries again. */
  charged: "yes" | "no";
}

/** The set may have been charged. It is never sent again by itself: see `again`. */
export interface UncertainSet extends Without<"jobId" | "job" | "credits"> {
  status: "uncertain";
  error: ScreenshotSetsError;
  charged: "maybe";
}

/**
 * The set was accepted and paid for, and its job was not seen to end. A later run goes on with it. Its `error` says why it
 * is not waited for any longer, such as a `JobTimeoutError`; it has none if the batch was aborted.
 */
export interface WaitingSet extends Without<"job" | "charged" | "reason"> {
  status: "waiting";
  jobId: string;
  credits: Credits;
}

/** Nothing was charged. A later run takes the set up. */
export interface SkippedSet extends Without<"jobId" | "job" | "credits" | "error" | "charged"> {
  status: "skipped";
  reason: Reason;
}

/** How a set of a batch ended in this run. */
export type SetOutcome = SucceededSet | FailedSet | UncertainSet | WaitingSet | SkippedSet;
