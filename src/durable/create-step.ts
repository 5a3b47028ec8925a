import { ApiError, ConfigurationError, InvalidRequestError, ScreenshotSetsError } from "../errors/errors.js";
import { isSegment } from "../request/segment.js";
import { isReasonOf } from "../time/abortable.js";
import { acceptanceNotSaved, createLost } from "./interruptions.js";
import { recordAge } from "./record-age.js";
import { recordedCreate, Unsent } from "./recorded-create.js";
import { saveAcceptance } from "./save-acceptance.js";
import { keep, rollBack } from "./save-state.js";
import {
  acceptedSet,
  cleaned,
  type SendingSet,
  type SetState,
  sendingSet,
  uncertainSet,
} from "./set-state.js";
import {
  pauseAfterNoCharge,
  type Step,
  type Stepped,
  stepDelays,
  uncertain,
  waiting,
  wholeMs,
} from "./step.js";

export async function create(step: Step): Promise<Stepped> {
  const { access, params, save, signal, longestUnsentMs = recordAge.longestUnsentMs } = step;
  const before = step.state as SetState | undefined;
  const sending = sendingSet(access.now());
  const end = await recordedCreate((call) => access.createSet(params, call), {
    clock: access.clock,
    signal,
    longestUnsentMs,
    // The record may come long after the step began.
    save: () => save(Object.assign(sending, { at: access.now() }), before),
    remove: () => rollBack(save, before, sending),
  });

  if ("uncharged" in end) {
    const { uncharged } = end;
    if (uncharged instanceof Unsent) return waiting(undefined, stepDelays.refusedMs);
    return afterNoCharge(uncharged, isReasonOf(signal, uncharged));
  }
  const accepted = "answer" in end ? end.answer : undefined;
  const cause = "unclear" in end ? end.unclear : new Error("The answer names no job that can be polled");
  // An invalid or truncated answer may still name the job.
  const jobId = cause instanceof ScreenshotSetsError ? cause.jobId : accepted?.jobId;
  if (isSegment(jobId)) return wasAccepted(step, sending, jobId, accepted?.credits);
  return mayBeAccepted(step, sending, cause);
}

/**
 * What follows from a create that charged nothing, as it was refused or never sent.
 *
 * @throws what is no failure of the request: the reason of an abort, a `ConfigurationError`, what a platform throws for control flow
 */
function afterNoCharge(error: unknown, isAborted: boolean): Stepped {
  const isThrown = isAborted || error instanceof ConfigurationError;
  if (isThrown || !(error instanceof ScreenshotSetsError)) throw error;
  if (endsSet(error)) return { status: "failed", state: undefined, error, charged: "no" };
  const { isTransient, delayMs } = pauseAfterNoCharge(error);
  return { ...waiting(undefined, delayMs), error, isTransient };
}

/** The statuses of a create that will be refused again, as long as nobody changes the order. */
const refusals = [400, 404, 410, 413, 422];

const endsSet = (error: ScreenshotSetsError) =>
  error instanceof InvalidRequestError || (error instanceof ApiError && refusals.includes(error.status));

async function wasAccepted(
  { access, save, limits, key }: Step,
  sending: SendingSet,
  jobId: string,
  credits: unknown,
): Promise<Stepped> {
  const delayMs = wholeMs(access.delayMs(0, limits));
  const state = cleaned(acceptedSet(sending, { jobId, credits }, access.now(), delayMs));
  try {
    await saveAcceptance(() => save(state, sending), access, { jobId, ...(key !== undefined && { key }) });
  } catch (cause) {
    throw acceptanceNotSaved(jobId, cause);
  }
  return waiting(state, delayMs);
}

async function mayBeAccepted({ access, save }: Step, sending: SendingSet, cause: unknown): Promise<Stepped> {
  const state = cleaned(uncertainSet(sending, cause));
  const isStored = await keep(save, state, sending, access.log);
  return uncertain(isStored ? state : sending, createLost(cause));
}
