import type { ScreenshotSets } from "../client.js";
import { copyOf } from "../errors/copy-of.js";
import {
  ApiError,
  ConnectionError,
  RateLimitError,
  ScreenshotSetsError,
  TimeoutError,
} from "../errors/errors.js";
import { jobFailed, jobTimedOut } from "../errors/job-errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import type { ResponseInfo } from "../options/options.js";
import { reachOf } from "../request/reach.js";
import { passesInWait, retryAfterMs } from "../request/retry.js";
import { isSegment } from "../request/segment.js";
import { type SetAccess, setAccess } from "../set-access.js";
import { systemClock } from "../time/clock.js";
import { onAbort } from "../time/on-abort.js";
import type { AcceptedJob, CreateScreenshotsParams, FailedJob, Job, SucceededJob } from "../types.js";
import { endOf } from "../wait/is-terminal.js";
import { shortestRetryAfterMs, unlearnedDelayMs } from "../wait/poll-delay.js";
import { acceptanceNotSaved, createFound, createLost, refusalNotSaved } from "./interruptions.js";
import { recordAge } from "./record-age.js";
import {
  type AcceptedSet,
  acceptedSet,
  checkedState,
  lookedAt,
  type SendingSet,
  type SetState,
  sendingSet,
} from "./set-state.js";
import type { StepLimits } from "./step-options.js";

/** The part of a client that a step uses. */
export type SetClient = Pick<ScreenshotSets, "screenshots" | "jobs"> & { readonly [setAccess]?: SetAccess };

/** Stores the state of a set; `undefined` if the set counts as new again. */
export type SaveState = (state: SetState | undefined) => unknown;

/** The arguments of a step. */
export interface Step {
  client: SetClient;
  params: CreateScreenshotsParams;
  state: unknown;
  save: SaveState;
  limits: StepLimits;
  /** Knows how long jobs take, if it is not the client itself. */
  plans?: Pick<SetAccess, "delayMs" | "learn"> | undefined;
  /** Ends every pause and a poll, and lets nothing more be sent. A create that was sent goes on: it may be charged. */
  signal?: AbortSignal;
}

/** The result of a step that did not fail. */
export type StepResult =
  | {
      /** Take the next step after `delayMs`. */
      status: "waiting";
      /** The state for the next step; `undefined` if the set counts as new again. */
      state: SetState | undefined;
      /** How long to wait before the next step, in milliseconds. */
      delayMs: number;
    }
  | {
      /** The set is planned. */
      status: "succeeded";
      /** The succeeded job of the set. */
      job: SucceededJob;
    };

/** The result of a step, what its poll found, and the failure because of which it waits. */
export type Stepped = StepResult & { job?: Job | undefined; failure?: unknown };

/** No retries. */
const once = { maxRetries: 0 };

/** The delay after a refused or unsent request if the answer does not specify one, in milliseconds. */
const refusedDelayMs = 5_000;

/**
 * A job is given up when its deadline has passed by the clock, and the delays before its polls add up to this part of
 * `timeoutMs`: the clock may be that of another machine, or may have been set.
 */
const waitedPart = 0.9;

/** What a client needs no access of its own for, such as a stand-in in a test. */
const plainAccess = ({ screenshots }: SetClient): SetAccess => ({
  ...{ baseUrl: undefined, timeoutMs: 60_000, log: { warn() {}, error() {} } },
  now: () => Date.now(),
  sleep: systemClock.sleep,
  ready: async () => {},
  // It may do anything with a signal.
  createSet: (params) => screenshots.create(params, once),
  createApp: () => Promise.reject(new TypeError("Expected a `ScreenshotSets`")),
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
  const state = checkedState(step.state);
  const access = accessOf(step.client);
  if (state === undefined) return create(step, access);
  return state.step === "sending" ? found(state, access) : look(step, access, state);
}

/** Another step may be at a young record: a second delivery, or a process that is slow. */
function found(state: SendingSet, { now, timeoutMs }: SetAccess): Stepped {
  const { longestTimeoutMs, moreMs } = recordAge;
  const leftMs = Math.min(timeoutMs, longestTimeoutMs) + moreMs - Math.abs(now() - state.at);
  // Not for a time that is none.
  if (!(leftMs > 0)) throw createFound(state.at);
  return { status: "waiting", state, delayMs: Math.min(leftMs, refusedDelayMs) };
}

async function create(step: Step, access: SetAccess): Promise<Stepped> {
  const { params, save, limits, signal, plans = access } = step;
  // A process that dies in the client's pause must not leave the record of a create that was never sent.
  await access.ready(signal).catch(() => {});
  if (signal?.aborted) return unsent;
  const record = sendingSet(access.now());
  await save(record);
  const { accepted, error } = await send(params, record.at + recordAge.longestUnsentMs, access, signal);
  if (error === notSent) return takeBack(save);
  if (error instanceof ScreenshotSetsError && error.charged === "no") return takeBack(save, error);
  // An invalid or truncated answer may still name the job.
  const jobId = accepted ? accepted.jobId : error instanceof ScreenshotSetsError ? error.jobId : undefined;
  if (!isSegment(jobId)) throw createLost(error ?? new Error("The answer names no job that can be polled"));
  const delayMs = plans.delayMs(0, limits);
  const state = acceptedSet(jobId, accepted?.credits, access.now(), delayMs);
  try {
    await save(state);
  } catch (cause) {
    access.log.error("The id of a paid job could not be stored", { jobId, error: cause });
    throw acceptanceNotSaved(jobId, cause);
  }
  return { status: "waiting", state, delayMs };
}

/** Why a create ended that was recorded and never sent. */
const notSent = new Error("The create was not sent");

const notSentInTime = () =>
  new TimeoutError("createScreenshots was not sent: the key did not come in time, or the client pauses.", {
    ...{ charged: "no", attempts: 0 },
  });

/** Sends a create that was recorded, unless an abort comes first, or the time when its record may not be young any more. */
async function send(
  params: CreateScreenshotsParams,
  latestAt: number,
  { now, sleep, createSet }: SetAccess,
  signal: AbortSignal | undefined,
): Promise<{ accepted?: AcceptedJob; error?: unknown }> {
  const leftMs = latestAt - now();
  if (signal?.aborted) return { error: notSent };
  if (leftMs <= 0) return { error: notSentInTime() };
  const [departure, end] = [new AbortController(), new AbortController()];
  const close = (reason: Error) => departure.abort(reason);
  const removeListener = onAbort(signal, () => close(notSent));
  sleep(leftMs, end.signal).then(
    () => close(notSentInTime()),
    () => {},
  );
  try {
    return { accepted: await createSet(params, departure.signal) };
  } catch (error) {
    return { error };
  } finally {
    removeListener();
    end.abort("the create has ended");
  }
}

/** The end of a step that has sent nothing. */
const unsent: Stepped & { status: "waiting" } = {
  status: "waiting",
  state: undefined,
  delayMs: refusedDelayMs,
};

/** Removes the record of a create that was certainly refused or not sent, so that the set counts as new again. */
async function takeBack(save: SaveState, refusal?: ScreenshotSetsError): Promise<Stepped> {
  try {
    await save(undefined);
  } catch (cause) {
    throw refusalNotSaved(cause);
  }
  if (refusal === undefined) return unsent;
  // A failed TLS handshake, for example, has charged nothing either, but is not transient.
  const isUnsent =
    (refusal instanceof TimeoutError && refusal.attempts === 0) ||
    (refusal instanceof ConnectionError && reachOf(refusal.cause) === "not sent");
  if (!(refusal instanceof RateLimitError) && !isUnsent) throw refusal;
  return { ...unsent, delayMs: askedBy(refusal) ?? refusedDelayMs, failure: refusal };
}

async function look(step: Step, access: SetAccess, state: AcceptedSet): Promise<Stepped> {
  const { client, save, limits, signal, plans = access } = step;
  const { jobId, at, waitedMs = 0, unfinishedAt } = state;
  const sentAt = access.now();
  const { job, failure, askedMs } = await lookAt(client, jobId, sentAt - at, signal);
  const end = job && endOf(job);
  if (end) {
    if (unfinishedAt !== undefined) plans.learn(unfinishedAt - at, sentAt - at);
    if (end === "succeeded") return { status: "succeeded", job: job as SucceededJob };
    throw afterAcceptance(jobFailed(jobId, job as FailedJob), jobId);
  }
  const elapsedMs = access.now() - at;
  if (elapsedMs >= limits.timeoutMs && waitedMs >= waitedPart * limits.timeoutMs) {
    const details = { job, polls: state.polls + 1, elapsedMs, cause: failure };
    throw afterAcceptance(jobTimedOut(jobId, details), jobId);
  }
  // By a clock that is behind the acceptance, every poll would be the first one.
  const ageMs = elapsedMs < 0 ? waitedMs : elapsedMs;
  const delayMs = askedMs ?? plans.delayMs(ageMs, limits);
  const next = lookedAt(state, job?.status, sentAt, {
    delayMs,
    isAsked: askedMs !== undefined,
  });
  await save(next);
  return { status: "waiting", state: next, delayMs, job, failure };
}

/** Polls once: the job or a transient failure, and how long the answer asks to wait, in milliseconds. */
async function lookAt(client: SetClient, jobId: string, ageMs: number, signal: AbortSignal | undefined) {
  let headers: Headers | undefined;
  const onResponse = (answer: ResponseInfo) => {
    headers = answer.headers;
  };
  try {
    const job = await client.jobs.get(jobId, { ...once, onResponse, signal });
    return { job, askedMs: atLeastShortest(retryAfterMs(headers)) };
  } catch (failure) {
    if (passesInWait(failure, ageMs)) return { failure, askedMs: askedBy(failure) };
    throw failure instanceof ScreenshotSetsError ? afterAcceptance(failure, jobId) : failure;
  }
}

function afterAcceptance(error: ScreenshotSetsError, jobId: string): ScreenshotSetsError {
  return copyOf(error, { jobId, charged: "yes" });
}

/** How long a failure asks to wait, in milliseconds; `refusedDelayMs` for a 429 that does not specify it. */
function askedBy(failure: unknown): number | undefined {
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined;
  return atLeastShortest(asked ?? (failure instanceof RateLimitError ? refusedDelayMs : undefined));
}

function atLeastShortest(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(ms, shortestRetryAfterMs);
}
