import { ConfigurationError, ScreenshotSetsError } from "../errors/errors.js";
import { jobTimedOut } from "../errors/job-errors.js";
import { endOf } from "../job-end.js";
import { passesInWait } from "../request/retry.js";
import type { SetAccess } from "../set-access.js";
import { isReasonOf } from "../time/abortable.js";
import { keep } from "./save-state.js";
import { type AcceptedSet, cleaned, endedSet, lookedAt, type SetState } from "./set-state.js";
import {
  afterAcceptance,
  askedBy,
  atLeastShortest,
  delayAfter,
  ended,
  type Step,
  type Stepped,
  waiting,
} from "./step.js";

/**
 * A job is overdue when its deadline has passed by the clock, and the delays before its polls add up to this part of
 * `timeoutMs`: the clock may be that of another machine, or may have been set.
 */
const waitedPart = 0.9;

export async function look(step: Step, state: AcceptedSet): Promise<Stepped> {
  const { access, save, limits, signal } = step;
  const before = step.state as SetState;
  const { jobId, at, waitedMs = 0, unfinishedAt } = state;
  const sentAt = access.now();
  const { job, failure, askedMs } = await lookAt(access, jobId, signal);
  if (job && endOf(job)) {
    if (unfinishedAt !== undefined) access.learn(unfinishedAt - at, sentAt - at);
    const next = cleaned(endedSet(state, job));
    await keep(save, next, before, access.log);
    return ended(next);
  }

  const elapsedMs = access.now() - at;
  const isOverdue = elapsedMs >= limits.timeoutMs && waitedMs >= waitedPart * limits.timeoutMs;
  const timedOut = () => {
    const details = { job, polls: state.polls + 1, elapsedMs, cause: failure };
    return jobTimedOut(jobId, details, job?.status ?? state.status);
  };
  const error = isOverdue ? timedOut() : failure;
  const isTransient = !isOverdue && (failure === undefined || passesInWait(failure, sentAt - at));
  // By a clock that is behind the acceptance, every poll would be the first one.
  const ageMs = elapsedMs < 0 ? waitedMs : elapsedMs;
  const delayMs = delayAfter(isTransient, askedMs, access.delayMs(ageMs, limits));
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
