import { copyOf } from "../errors/copy-of.js";
import { ApiError, type CreateInterruptedError, type ScreenshotSetsError } from "../errors/errors.js";
import { jobFailed } from "../errors/job-errors.js";
import { endOf } from "../job-end.js";
import { passesInCreate } from "../request/retry.js";
import type { SetAccess } from "../set-access.js";
import { longestTimerMs } from "../time/clock.js";
import type { CreateScreenshotsParams, Credits, FailedJob, SucceededJob } from "../types.js";
import { shortestRetryAfterMs } from "../wait/poll-delay.js";
import { Unsent } from "./recorded-create.js";
import type { SaveState } from "./save-state.js";
import type { EndedSet, SetState } from "./set-state.js";
import type { StepLimits } from "./step-options.js";
import type { FailedStep, StepResult, SucceededStep, UncertainStep, WaitingStep } from "./step-result.js";

/** The arguments of a step. */
export interface Step {
  access: SetAccess;
  /** What the set is called where it is kept, for the log. */
  key?: string;
  params: CreateScreenshotsParams;
  /** As it was loaded. */
  state: unknown;
  save: SaveState;
  limits: StepLimits;
  /** Ends every pause and a poll, and lets nothing more be sent. A create that was sent goes on: it may be charged. */
  signal?: AbortSignal | undefined;
  /** Whether nobody else can be at a record, such as under the lock of a batch. */
  isAlone?: boolean;
  /** How old the record of a create may be when the create leaves, in milliseconds. */
  longestUnsentMs?: number;
}

/** The result of a step. It is transient where waiting alone helps, and nobody has to see to an error. */
export type Stepped = (WaitingStep & { isTransient: boolean }) | EndedStep;

/** The result of a step that ends the set. */
export type EndedStep = Exclude<StepResult, WaitingStep>;

/** How long a set waits, in milliseconds, unless an answer says. Tests shorten these times. */
export const stepDelays = {
  /** After a refused or unsent request, and while another step may be at the set. */
  refusedMs: 5_000,
  /** After what somebody has to see to, such as credits, a key or a proxy. */
  heldMs: 600_000,
};

export function waiting(state: SetState | undefined, delayMs: number): Stepped & WaitingStep {
  const paid = state?.step === "accepted" ? { jobId: state.jobId, credits: state.credits } : {};
  return { status: "waiting", state, delayMs, ...paid, isTransient: true };
}

export function ended(state: EndedSet): SucceededStep | FailedStep {
  const { jobId, job } = state;
  // Only an acceptance whose answer lacked its credits has none.
  const credits = state.credits as Credits;
  if (endOf(job) === "succeeded")
    return { status: "succeeded", state, jobId, credits, job: job as SucceededJob };
  const error = afterAcceptance(jobFailed(jobId, job as FailedJob), jobId);
  return { status: "failed", state, jobId, credits, error, charged: "yes" };
}

export function uncertain(state: SetState, error: CreateInterruptedError): UncertainStep {
  return { status: "uncertain", state, error, charged: "maybe" };
}

export function afterAcceptance<Kind extends ScreenshotSetsError>(error: Kind, jobId: string): Kind {
  return copyOf(error, { jobId, charged: "yes" }) as Kind;
}

/** Whether waiting alone helps a create that charged nothing, and how long it waits, in milliseconds. */
export function pauseAfterNoCharge(error: unknown): { isTransient: boolean; delayMs: number } {
  const isTransient = error instanceof Unsent || passesInCreate(error);
  return { isTransient, delayMs: delayAfter(isTransient, askedBy(error), stepDelays.refusedMs) };
}

/** As long as the answer asks, or else the usual time. What somebody has to see to waits longer. */
export function delayAfter(isTransient: boolean, askedMs: number | undefined, usualMs: number): number {
  return wholeMs(isTransient ? (askedMs ?? usualMs) : Math.max(stepDelays.heldMs, askedMs ?? 0));
}

/** A delay as a timer takes it, which would fire at once after a longer one, and as a column of whole numbers does. */
export const wholeMs = (ms: number) => Math.min(Math.ceil(ms), longestTimerMs);

/** How long a failure asks to wait, in milliseconds. */
export function askedBy(failure: unknown): number | undefined {
  return atLeastShortest(failure instanceof ApiError ? failure.retryAfterMs : undefined);
}

export function atLeastShortest(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(ms, shortestRetryAfterMs);
}
