import type { ScreenshotSets } from "../client.js";
import { copyOf } from "../errors/copy-of.js";
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  type CreateInterruptedError,
  InvalidRequestError,
  RateLimitError,
  ScreenshotSetsError,
  TimeoutError,
} from "../errors/errors.js";
import { jobFailed, jobTimedOut } from "../errors/job-errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { endOf } from "../job-end.js";
import { reachOf } from "../request/reach.js";
import { passesInWait } from "../request/retry.js";
import { isSegment } from "../request/segment.js";
import { type SetAccess, setAccess } from "../set-access.js";
import { isReasonOf } from "../time/abortable.js";
import { systemClock } from "../time/clock.js";
import type { CreateScreenshotsParams, Credits, FailedJob, SucceededJob } from "../types.js";
import { shortestRetryAfterMs, unlearnedDelayMs } from "../wait/poll-delay.js";
import {
  acceptanceNotSaved,
  createFound,
  createLost,
  historiesJoined,
  refusalNotSaved,
} from "./interruptions.js";
import { recordAge, recorder, Unsent } from "./record-age.js";
import { saveAcceptance } from "./save-acceptance.js";
import {
  type AcceptedSet,
  acceptedSet,
  checkedState,
  cleaned,
  type EndedSet,
  endedSet,
  errorOf,
  joinedHistories,
  lookedAt,
  type SendingSet,
  type SetState,
  sendingSet,
  uncertainSet,
} from "./set-state.js";
import type { StepLimits } from "./step-options.js";
import type { FailedStep, StepResult, SucceededStep, UncertainStep, WaitingStep } from "./step-result.js";

/** The part of a client that a step uses. */
export type SetClient = Pick<ScreenshotSets, "screenshots" | "jobs"> & { readonly [setAccess]?: SetAccess };

/**
 * Stores a state of a set, `undefined` for one that counts as new, in place of the very value that was loaded or last
 * saved. Resolves to `false` where that is not what is stored.
 */
export type SaveState = (next: SetState | undefined, previous: SetState | undefined) => unknown;

/** The arguments of a step. */
export interface Step {
  client: SetClient;
  /** What the set is called where it is kept, for the log. */
  key?: string;
  params: CreateScreenshotsParams;
  /** As it was loaded. */
  state: unknown;
  save: SaveState;
  limits: StepLimits;
  /** Knows how long jobs take, if it is not the client itself. */
  plans?: Pick<SetAccess, "delayMs" | "learn"> | undefined;
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

/** No retries. */
const once = { maxRetries: 0 };

/** How long a set waits, in milliseconds, unless an answer says. Tests shorten these times. */
export const stepDelays = {
  /** After a refused or unsent request, and while another step may be at the set. */
  refusedMs: 5_000,
  /** After what somebody has to see to, such as credits, a key or a proxy. */
  heldMs: 600_000,
};

/**
 * A job is overdue when its deadline has passed by the clock, and the delays before its polls add up to this part of
 * `timeoutMs`: the clock may be that of another machine, or may have been set.
 */
const waitedPart = 0.9;

/** What a client needs no access of its own for, such as a stand-in in a test. */
const plainAccess = ({ screenshots, jobs }: SetClient): SetAccess => ({
  baseUrl: undefined,
  timeoutMs: 60_000,
  clock: systemClock,
  log: { warn() {}, error() {} },
  now: () => Date.now(),
  // It may do anything with a signal.
  createSet: (params, { record }) => record().then(() => screenshots.create(params, once)),
  getJob: async (jobId, signal) => ({ job: await jobs.get(jobId, { ...once, signal }) }),
  delayMs: unlearnedDelayMs,
  learn: () => {},
});

/** What the steps of a set need of a client. */
export const accessOf = (client: SetClient): SetAccess => client[setAccess] ?? plainAccess(client);

/** @throws {ConfigurationError} for a value that cannot create sets, before a create is recorded */
export function checkClient(client: unknown): void {
  const { screenshots } = Object(client) as Partial<ScreenshotSets>;
  if (typeof screenshots?.create !== "function") throw wrongOption("`client`", "a `ScreenshotSets`", client);
}

/** Takes one step of one set. A create is sent only after a record of it was saved, never if there already is one. */
export async function takeStep(step: Step): Promise<Stepped> {
  const access = accessOf(step.client);
  const state = checkedState(step.state);
  if (state === undefined) return create(step, access);
  if (state.step === "accepted") return look(step, access, state);

  const inFlightForMs = step.isAlone || state.step !== "sending" ? 0 : leftInFlightMs(state, access);
  // Another step may be at it: a second delivery, or a process that is slow.
  return inFlightForMs > 0 ? waiting(state, Math.min(inFlightForMs, stepDelays.refusedMs)) : endIn(state);
}

/** How long the create of a record may still be under way; NaN for a time that is none. */
export function leftInFlightMs({ at }: SendingSet, { now, timeoutMs }: SetAccess): number {
  const { longestTimeoutMs, graceMs } = recordAge;
  // A record from the future, by the clock of another machine, ages too.
  return Math.min(timeoutMs, longestTimeoutMs) + graceMs - Math.abs(now() - at);
}

/** How a set ended whose state allows no further request. */
export function endIn(state: Exclude<SetState, AcceptedSet>): EndedStep {
  if (state.step === "ended") return ended(state);
  if (state.step === "sending" || !state.cause) return uncertain(state, createFound(state.at));
  const cause = errorOf(state.cause);
  const isJoined = cause.name === joinedHistories;
  return uncertain(state, isJoined ? historiesJoined(cause, state.jobId) : createLost(cause));
}

async function create(step: Step, access: SetAccess): Promise<Stepped> {
  const { params, save, signal } = step;
  const before = step.state as SetState | undefined;
  const { longestUnsentMs = recordAge.longestUnsentMs } = step;
  let sending: SendingSet | undefined;
  const record = recorder(access, signal, longestUnsentMs, () => {
    sending = sendingSet(access.now());
    return save(sending, before);
  });
  const { accepted, error } = await access.createSet(params, { signal, record }).then(
    (accepted) => ({ accepted, error: undefined }),
    (error: unknown) => ({ accepted: undefined, error }),
  );

  const isAborted = isReasonOf(signal, error);
  if (sending === undefined) return refused(error, isAborted);
  if (error instanceof Unsent && error.why === "another record")
    return waiting(undefined, stepDelays.refusedMs);
  if (error instanceof Unsent && error.why === "not saved") {
    await rollBack(save, before, sending).catch(() => {});
    throw error.cause;
  }
  const isRefused = error instanceof ScreenshotSetsError && error.charged === "no";
  if (error instanceof Unsent || isAborted || isRefused) {
    await rollBack(save, before, sending);
    return error instanceof Unsent ? waiting(undefined, stepDelays.refusedMs) : refused(error, isAborted);
  }
  // An invalid or truncated answer may still name the job.
  const jobId = error instanceof ScreenshotSetsError ? error.jobId : accepted?.jobId;
  if (isSegment(jobId)) return wasAccepted(step, access, sending, jobId, accepted?.credits);
  return mayBeAccepted(
    step,
    access,
    sending,
    error ?? new Error("The answer names no job that can be polled"),
  );
}

/** Removes the record of a create that was refused or not sent: what stood before it stands again. */
async function rollBack(save: SaveState, before: SetState | undefined, sending: SendingSet): Promise<void> {
  try {
    await save(before, sending);
  } catch (cause) {
    throw refusalNotSaved(cause);
  }
}

/**
 * What follows from a create that charged nothing, as it was refused or never sent.
 *
 * @throws what is no failure of the request: the reason of an abort, a `ConfigurationError`, what a key function throws
 */
function refused(error: unknown, isAborted = false): Stepped {
  const isThrown = isAborted || error instanceof ConfigurationError;
  if (isThrown || !(error instanceof ScreenshotSetsError)) throw error;
  if (endsSet(error)) return { status: "failed", state: undefined, error, charged: "no" };
  const isUnsent = error instanceof ConnectionError && reachOf(error.cause) === "not sent";
  // What timed out and charged nothing waited for its key.
  const isTransient = error instanceof RateLimitError || error instanceof TimeoutError || isUnsent;
  const delayMs = delayAfter(isTransient, askedBy(error), stepDelays.refusedMs);
  return { ...waiting(undefined, delayMs), error, isTransient };
}

/** The statuses of a create that will be refused again, as long as nobody changes the order. */
const refusals = [400, 404, 410, 413, 422];

const endsSet = (error: ScreenshotSetsError) =>
  error instanceof InvalidRequestError || (error instanceof ApiError && refusals.includes(error.status));

async function wasAccepted(
  { save, limits, plans, key }: Step,
  access: SetAccess,
  sending: SendingSet,
  jobId: string,
  credits: unknown,
): Promise<Stepped> {
  const delayMs = (plans ?? access).delayMs(0, limits);
  const state = cleaned(acceptedSet(sending, { jobId, credits }, access.now(), delayMs));
  try {
    await saveAcceptance(() => save(state, sending), access, { jobId, ...(key !== undefined && { key }) });
  } catch (cause) {
    throw acceptanceNotSaved(jobId, cause);
  }
  return waiting(state, delayMs);
}

async function mayBeAccepted(
  { save }: Step,
  { log }: SetAccess,
  sending: SendingSet,
  cause: unknown,
): Promise<Stepped> {
  const state = cleaned(uncertainSet(sending, cause));
  const isStored = await keep(save, state, sending, log);
  return uncertain(isStored ? state : sending, createLost(cause));
}

async function look(step: Step, access: SetAccess, state: AcceptedSet): Promise<Stepped> {
  const { save, limits, signal, plans = access } = step;
  const before = step.state as SetState;
  const { jobId, at, waitedMs = 0, unfinishedAt } = state;
  const sentAt = access.now();
  const { job, failure, askedMs } = await lookAt(access, jobId, signal);
  if (job && endOf(job)) {
    if (unfinishedAt !== undefined) plans.learn(unfinishedAt - at, sentAt - at);
    const next = cleaned(endedSet(state, job));
    await keep(save, next, before, access.log);
    return ended(next);
  }

  const elapsedMs = access.now() - at;
  const isOverdue = elapsedMs >= limits.timeoutMs && waitedMs >= waitedPart * limits.timeoutMs;
  const timedOut = () => jobTimedOut(jobId, { job, polls: state.polls + 1, elapsedMs, cause: failure });
  const error = isOverdue ? timedOut() : failure;
  const isTransient = !isOverdue && (failure === undefined || passesInWait(failure, sentAt - at));
  // By a clock that is behind the acceptance, every poll would be the first one.
  const ageMs = elapsedMs < 0 ? waitedMs : elapsedMs;
  const delayMs = delayAfter(isTransient, askedMs, plans.delayMs(ageMs, limits));
  const next = cleaned(
    lookedAt(state, job?.status, sentAt, { delayMs, isAsked: !isTransient || askedMs !== undefined }),
  );
  await save(next, before);
  return { ...waiting(next, delayMs), job, error: error && afterAcceptance(error, jobId), isTransient };
}

/**
 * Polls once: the job or a failure, and how long the answer asks to wait, in milliseconds.
 *
 * @throws the reason of an abort; a `ConfigurationError`
 */
async function lookAt({ getJob }: SetAccess, jobId: string, signal: AbortSignal | undefined) {
  try {
    const { job, retryAfterMs } = await getJob(jobId, signal);
    return { job, askedMs: atLeastShortest(retryAfterMs) };
  } catch (failure) {
    if (!(failure instanceof ScreenshotSetsError) || isReasonOf(signal, failure)) throw failure;
    if (failure instanceof ConfigurationError) throw afterAcceptance(failure, jobId);
    return { failure, askedMs: askedBy(failure) };
  }
}

/** Saves what a later step could do without: it would ask once more, or tell less. */
async function keep(
  save: SaveState,
  next: SetState,
  previous: SetState,
  log: SetAccess["log"],
): Promise<boolean> {
  try {
    return (await save(next, previous)) !== false;
  } catch (error) {
    log.warn("How a set ended could not be stored", { step: next.step, error });
    return false;
  }
}

function waiting(state: SetState | undefined, delayMs: number): Stepped & WaitingStep {
  const paid = state?.step === "accepted" ? { jobId: state.jobId, credits: state.credits } : {};
  return { status: "waiting", state, delayMs, ...paid, isTransient: true };
}

function ended(state: EndedSet): SucceededStep | FailedStep {
  const { jobId, job } = state;
  // Only an acceptance whose answer lacked its credits has none.
  const credits = state.credits as Credits;
  if (endOf(job) === "succeeded")
    return { status: "succeeded", state, jobId, credits, job: job as SucceededJob };
  const error = afterAcceptance(jobFailed(jobId, job as FailedJob), jobId);
  return { status: "failed", state, jobId, credits, error, charged: "yes" };
}

function uncertain(state: SetState, error: CreateInterruptedError): UncertainStep {
  return { status: "uncertain", state, error, charged: "maybe" };
}

function afterAcceptance<Kind extends ScreenshotSetsError>(error: Kind, jobId: string): Kind {
  return copyOf(error, { jobId, charged: "yes" }) as Kind;
}

/** As long as the answer asks, or else the usual time. What somebody has to see to waits longer. */
function delayAfter(isTransient: boolean, askedMs: number | undefined, usualMs: number): number {
  return isTransient ? (askedMs ?? usualMs) : Math.max(stepDelays.heldMs, askedMs ?? 0);
}

/** How long a failure asks to wait, in milliseconds. */
function askedBy(failure: unknown): number | undefined {
  return atLeastShortest(failure instanceof ApiError ? failure.retryAfterMs : undefined);
}

function atLeastShortest(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(ms, shortestRetryAfterMs);
}
