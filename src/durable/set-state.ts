import { ConfigurationError } from "../errors/errors.js";
import { shortened } from "../errors/words.js";
import { endOf } from "../job-end.js";
import { isSegment } from "../request/segment.js";
import { numberIn } from "../text/figures.js";
import type { Credits, FailedJob, Job, JobStatus, SucceededJob } from "../types.js";

const version = 2;

/** A create is about to be sent, or was sent. From here on, no step sends another one. */
export interface SendingSet {
  version: typeof version;
  step: "sending";
  /** When this was written, in milliseconds since 1970 (UTC), like all times of a state. */
  at: number;
  /** Drawn at random, so that no two steps write the same. */
  mark: string;
}

/** The create ended, and nobody knows whether it was accepted. */
export interface UncertainSet {
  version: typeof version;
  step: "uncertain";
  /** When the create was recorded. */
  at: number;
  /** A job that may be of it, where the histories of two files were joined. */
  jobId?: string;
  /** How the create ended. */
  cause?: StoredCause;
}

/** The service has accepted the set. */
export interface AcceptedSet {
  version: typeof version;
  step: "accepted";
  jobId: string;
  /** Missing if the answer lacked them. */
  credits?: Credits;
  /** When the service accepted it. */
  at: number;
  /** When its create was recorded; missing if only the progress of a queue's job is left. */
  sentAt?: number;
  /** How often the job was polled. */
  polls: number;
  /** The sum of the delays before its polls, the next one included, in milliseconds, whatever clocks say. */
  waitedMs?: number;
  /** The job's status in the last answered poll. */
  status?: JobStatus;
  /** When the job was last known to be unfinished; missing if the service chose the time of the next poll. */
  unfinishedAt?: number;
}

/** The job of the set has ended. */
export interface EndedSet {
  version: typeof version;
  step: "ended";
  jobId: string;
  credits?: Credits;
  /** When the service accepted the set. */
  at: number;
  /** When its create was recorded; missing if only the progress of a queue's job was left. */
  sentAt?: number;
  /** The job as it ended. */
  job: SucceededJob | FailedJob;
}

/** The state of a set between two steps: plain JSON to store as it is, without the key or the parameters. */
export type SetState = SendingSet | UncertainSet | AcceptedSet | EndedSet;

/** What a record keeps of an error: no body, which may hold anything. */
export interface StoredCause {
  name: string;
  message: string;
  /** The status of the answer, if there was one. */
  status?: number;
  /** The code of the failure, such as `ECONNRESET`. */
  code?: string;
}

/** The record of a set whose create is about to be sent. */
export function sendingSet(at: number): SendingSet {
  return { version, step: "sending", at, mark: crypto.randomUUID() };
}

/** The record of a set whose create may have been accepted. */
export function uncertainSet({ at }: SendingSet, error: unknown): UncertainSet {
  return { version, step: "uncertain", at, cause: causeOf(error) };
}

/** The name of the cause of a set whose state was joined from two histories. */
export const joinedHistories = "JoinedHistories";

/** What a record keeps of that, by what one of the histories has, if its end is known. */
export function joinedCause(what = "a create whose end is not known"): StoredCause {
  return {
    name: joinedHistories,
    message: `The state was joined from two histories, of which one has ${what}`,
  };
}

/** The record of a set that counts as new in one of two joined histories, and has this state in the other one. */
export function joinedSet({ at, jobId }: Pick<UncertainSet, "at" | "jobId">): UncertainSet {
  if (jobId === undefined) return { version, step: "uncertain", at, cause: joinedCause() };
  return { version, step: "uncertain", at, jobId, cause: joinedCause(`job ${shortened(jobId)}`) };
}

/** The record of a set that has just been accepted and is polled after `delayMs`. */
export function acceptedSet(
  { at: sentAt }: SendingSet,
  { jobId, credits }: { jobId: string; credits: unknown },
  at: number,
  delayMs: number,
): AcceptedSet {
  const polled = { polls: 0, waitedMs: delayMs, unfinishedAt: at };
  return { version, step: "accepted", jobId, ...numbersOf(credits), at, sentAt, ...polled };
}

/** The record of a set of which only the progress of its job is left; undefined if that does not name a job. */
export function acceptedByProgress(progress: unknown, at: number): AcceptedSet | undefined {
  const { jobId, credits }: Partial<AcceptedSet> = Object(progress);
  if (!isSegment(jobId)) return undefined;
  return { version, step: "accepted", jobId, ...numbersOf(credits), at, polls: 0 };
}

/**
 * The record after a poll that did not find the job ended.
 *
 * @param next after which delay it is polled again, and whether the service chose it: the next poll then does not show
 *   how long jobs take
 */
export function lookedAt(
  set: AcceptedSet,
  status: JobStatus | undefined,
  sentAt: number,
  { delayMs, isAsked }: { delayMs: number; isAsked: boolean },
): AcceptedSet {
  const { unfinishedAt: before, ...kept } = set;
  const unfinishedAt = isAsked ? undefined : status ? sentAt : before;
  return {
    ...kept,
    polls: set.polls + 1,
    waitedMs: (set.waitedMs ?? 0) + delayMs,
    ...(status !== undefined && { status }),
    ...(unfinishedAt !== undefined && { unfinishedAt }),
  };
}

/** The record of a set whose job has ended. */
export function endedSet({ jobId, credits, at, sentAt }: AcceptedSet, job: Job): EndedSet {
  const known = { ...(credits && { credits }), at, ...(sentAt !== undefined && { sentAt }) };
  return { version, step: "ended", jobId, ...known, job: job as EndedSet["job"] };
}

/**
 * Checks the stored state of a set; returns undefined for a new set. Some databases store missing values as `null`.
 *
 * @throws {ConfigurationError} for a state that `stepSet` did not write, or that another version of it wrote
 */
export function checkedState(state: unknown): SetState | undefined {
  if (state === undefined || state === null) return undefined;
  const known = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
  if (known.version === version && isKnown(known)) return known as unknown as SetState;
  throw new ConfigurationError(
    `Expected \`state\` to be what \`stepSet\` saved, in version ${version} of its form, or nothing for a new set. Nothing was sent.`,
  );
}

function isKnown(state: Record<string, unknown>): boolean {
  switch (state.step) {
    case "sending":
    case "uncertain":
      return true;
    case "accepted": {
      const { at, polls, waitedMs = 0, unfinishedAt = 0 } = state;
      return isSegment(state.jobId) && [at, polls, waitedMs, unfinishedAt].every(Number.isFinite);
    }
    case "ended":
      return isSegment(state.jobId) && endOf(state.job as Job) !== undefined;
    default:
      return false;
  }
}

/** The numbers of an acceptance's credits, whatever else the answer held; some documents write numbers as text. */
function numbersOf(credits: unknown): { credits?: Credits } {
  const { cost, remaining }: Record<string, unknown> = Object(credits);
  const known = Object.entries({ cost, remaining }).filter(([, value]) => Number.isFinite(numberIn(value)));
  return known.length > 0 ? { credits: Object.fromEntries(known) as unknown as Credits } : {};
}

/** What a record keeps of an error. */
export function causeOf(error: unknown): StoredCause {
  const { name = "Error", message = String(error), status, code } = Object(error) as Partial<StoredCause>;
  return {
    name: String(name),
    message: shortened(String(message)),
    ...(typeof status === "number" && { status }),
    ...(typeof code === "string" && { code }),
  };
}

/** The error that a record keeps. */
export function errorOf({ message, ...fields }: StoredCause): Error {
  return Object.assign(new Error(message), fields);
}

/** A copy of a record without the characters that databases refuse: NUL, and halves of a pair of surrogates. */
export function cleaned<Value>(record: Value): Value {
  const text = JSON.stringify(record);
  // `JSON.stringify` escapes a half, and never a whole pair.
  const isRefused = /^\\u(0000|d[89a-f])/;
  const clean = (written: string) => (isRefused.test(written) ? "\ufffd" : written);
  return JSON.parse(text.replace(/\\(u[\da-f]{4}|.)/g, clean));
}
