import type { AcceptedSet, SetState } from "../durable/set-state.js";
import type { EndedStep } from "../durable/step.js";
import type {
  FailedStep,
  StepResult,
  SucceededStep,
  UncertainStep,
  WaitingStep,
} from "../durable/step-result.js";
import { endIn } from "../durable/take-step.js";
import type { ScreenshotSetsError } from "../errors/errors.js";
import type { Credits } from "../types.js";

/**
 * Why a set was not begun, or not ordered once more: it would pass `maxCredits`, the account has too few credits (a 402), two
 * creates in a row had no clear answer, as in an outage, or the batch was aborted or ended.
 */
type Reason = "budget" | "credits" | "unclear" | "aborted";

/** A result of `stepSet` as the outcome of a set in this run. */
type Outcome<Result extends StepResult> = Omit<Result, "state" | "delayMs"> & {
  /** The key of the set. */
  key: string;
  /** Why it was not ordered once more. */
  reason?: Reason | undefined;
};

/** The set is planned. */
export interface SucceededSet extends Outcome<SucceededStep> {}

/** The job failed (`charged: "yes"`, in later runs too), or the service refused the set (`"no"`; a later run tries again). */
export interface FailedSet extends Outcome<FailedStep> {}

/** The set may have been charged. It is never retried by itself: see `again`. */
export interface UncertainSet extends Outcome<UncertainStep> {}

/**
 * The set was accepted and paid for, and its job was not seen to end. A later run goes on with it. Its `error` says why it
 * is not waited for any longer, such as a `JobTimeoutError`; it has none if the batch was aborted.
 */
export interface WaitingSet extends Outcome<WaitingStep> {
  jobId: string;
  credits: Credits;
  job?: undefined;
}

/** Nothing was charged in this run. A later run takes the set up. */
export interface SkippedSet
  extends Pick<UncertainStep, "jobId" | "credits" | "job">,
    Pick<SucceededStep, "error" | "charged"> {
  /** The key of the set. */
  key: string;
  /** How far the set is. */
  status: "skipped";
  /** Why it was not begun. */
  reason: Reason;
}

/** How a set of a batch ended in this run. */
export type SetOutcome = SucceededSet | FailedSet | UncertainSet | WaitingSet | SkippedSet;

/** How a set stands by its record alone. */
export function standingOf(key: string, state: SetState): SetOutcome {
  return state.step === "accepted" ? waitingOutcome(key, state) : outcomeOf(key, endIn(state));
}

export function outcomeOf(key: string, ended: EndedStep): SetOutcome {
  const { state: _, ...outcome } = ended;
  return { key, ...outcome };
}

/** @param error why the set is not waited for any longer */
export function waitingOutcome(
  key: string,
  { jobId, credits }: AcceptedSet,
  error?: ScreenshotSetsError,
): WaitingSet {
  // Only an acceptance whose answer lacked its credits has none.
  return { key, status: "waiting", jobId, credits: credits as Credits, ...(error && { error }) };
}
