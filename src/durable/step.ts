import type { ScreenshotSets } from "../client.js";
import { copyOf } from "../errors/copy-of.js";
import { ApiError, ConnectionError, RateLimitError, ScreenshotSetsError } from "../errors/errors.js";
import { jobFailed, jobTimedOut } from "../errors/job-errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import type { ResponseInfo } from "../options/options.js";
import { reachOf } from "../request/reach.js";
import { passesInWait, retryAfterMs } from "../request/retry.js";
import { isSegment } from "../request/segment.js";
import { systemClock } from "../time/clock.js";
import type { CreateScreenshotsParams, FailedJob, Job, SucceededJob } from "../types.js";
import { endOf } from "../wait/is-terminal.js";
import { type Pace, pace as paceOfClient } from "../wait/pace.js";
import { shortestRetryAfterMs, unlearnedDelayMs } from "../wait/poll-delay.js";
import { acceptanceNotSaved, createFound, createLost, refusalNotSaved } from "./interruptions.js";
import {
  type AcceptedSet,
  acceptedSet,
  checkedState,
  lookedAt,
  type SetState,
  sendingSet,
} from "./set-state.js";
import type { StepLimits } from "./step-options.js";

/** The part of a client that a step uses. */
export type SetClient = Pick<ScreenshotSets, "screenshots" | "jobs"> & { readonly [paceOfClient]?: Pace };

/** Stores the state of a set; `undefined` if the set counts as new again. */
export type SaveState = (state: SetState | undefined) => unknown;

/** The arguments of a step. */
export interface Step {
  client: SetClient;
  params: CreateScreenshotsParams;
  state: unknown;
  save: SaveState;
  limits: StepLimits;
  /** When to poll. It may be that of another client. */
  pace: Pace;
  /** Aborts a poll, but not a create: that may be charged already. */
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

/** The pace of a client that has none of its own, such as a stand-in in a test. */
const plainPace: Pace = {
  ready: async () => {},
  now: () => Date.now(),
  sleep: systemClock.sleep,
  warn: () => {},
  delayMs: (_, elapsedMs, delays) => unlearnedDelayMs(elapsedMs, delays),
  learn: () => {},
};

/** When to poll the sets of a client. */
export const paceOf = (client: SetClient): Pace => client[paceOfClient] ?? plainPace;

/** @throws {ConfigurationError} for a value that cannot create sets, before a create is recorded */
export function checkClient(client: unknown): void {
  const { screenshots } = Object(client) as Partial<ScreenshotSets>;
  if (typeof screenshots?.create !== "function") throw wrongOption("`client`", "a `ScreenshotSets`", client);
}

/** Takes one step of one set. A create is sent only after a record of it was saved, never if there already is one. */
export async function takeStep(step: Step): Promise<Stepped> {
  const state = checkedState(step.state);
  if (state === undefined) return create(step);
  if (state.step === "sending") throw createFound(state.at);
  return look(step, state);
}

async function create({ client, params, save, limits, pace }: Step): Promise<Stepped> {
  // A process that dies in the client's pause must not leave the record of a create that was never sent.
  await paceOf(client).ready();
  await save(sendingSet(pace.now()));
  const { accepted, error } = await client.screenshots.create(params, once).then(
    (accepted) => ({ accepted, error: undefined }),
    (error: unknown) => ({ accepted: undefined, error }),
  );
  if (error instanceof ScreenshotSetsError && error.charged === "no") return takeBack(save, error);
  // An invalid or truncated answer may still name the job.
  const jobId = accepted ? accepted.jobId : error instanceof ScreenshotSetsError ? error.jobId : undefined;
  if (!isSegment(jobId)) throw createLost(error);
  const delayMs = pace.delayMs(params, 0, limits);
  const state = acceptedSet(jobId, accepted?.credits, pace.now(), delayMs);
  try {
    await save(state);
  } catch (cause) {
    throw acceptanceNotSaved(jobId, cause);
  }
  return { status: "waiting", state, delayMs };
}

/** Removes the record of a create that was certainly refused, so that the set counts as new again. */
async function takeBack(save: SaveState, refusal: ScreenshotSetsError): Promise<Stepped> {
  try {
    await save(undefined);
  } catch (cause) {
    throw refusalNotSaved(cause);
  }
  // A failed TLS handshake, for example, has charged nothing either, but is not transient.
  const isUnsent = refusal instanceof ConnectionError && reachOf(refusal.cause) === "not sent";
  if (!(refusal instanceof RateLimitError) && !isUnsent) throw refusal;
  const waitMs = askedBy(refusal) ?? refusedDelayMs;
  return { status: "waiting", state: undefined, delayMs: waitMs, failure: refusal };
}

async function look(step: Step, state: AcceptedSet): Promise<Stepped> {
  const { client, params, limits, pace, signal } = step;
  const { jobId, at, waitedMs = 0, unfinishedAt } = state;
  const sentAt = pace.now();
  const { job, failure, askedMs } = await lookAt(client, jobId, sentAt - at, signal);
  const end = job && endOf(job);
  if (end) {
    if (unfinishedAt !== undefined) pace.learn(params, unfinishedAt - at, sentAt - at);
    if (end === "succeeded") return { status: "succeeded", job: job as SucceededJob };
    throw afterAcceptance(jobFailed(jobId, job as FailedJob), jobId);
  }
  const elapsedMs = pace.now() - at;
  if (elapsedMs >= limits.timeoutMs && waitedMs >= waitedPart * limits.timeoutMs) {
    const details = { job, polls: state.polls + 1, elapsedMs, cause: failure };
    throw afterAcceptance(jobTimedOut(jobId, details), jobId);
  }
  // By a clock that is behind the acceptance, every poll would be the first one.
  const ageMs = elapsedMs < 0 ? waitedMs : elapsedMs;
  const delayMs = askedMs ?? pace.delayMs(params, ageMs, limits);
  const next = lookedAt(state, job?.status, sentAt, { delayMs, isAsked: askedMs !== undefined });
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
