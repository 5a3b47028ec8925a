import { ConfigurationError } from "../errors/errors.js";
import { isSegment } from "../request/segment.js";
import type { Credits, JobStatus } from "../types.js";

const version = 1;

/** A create is about to be sent, or was sent. From here on, no step sends another one. */
export interface SendingSet {
  version: typeof version;
  step: "sending";
  /** When this was written, in milliseconds since 1970 (UTC), like all times of a state. */
  at: number;
  /** Drawn at random, so that no two steps write the same. */
  mark: string;
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
  /** How often the job was polled. */
  polls: number;
  /** The sum of the delays before its polls, the next one included, in milliseconds, whatever clocks say. */
  waitedMs?: number;
  /** The job's status in the last answered poll. */
  status?: JobStatus;
  /** When the job was last known to be unfinished; missing if the service chose the time of the next poll. */
  unfinishedAt?: number;
}

/** The state of a set between two steps: plain JSON to store as it is, without the key or the parameters. */
export type SetState = SendingSet | AcceptedSet;

/** The record of a set whose create is about to be sent. */
export function sendingSet(at: number): SendingSet {
  return { version, step: "sending", at, mark: crypto.randomUUID() };
}

/** The record of a set that has just been accepted and is polled after `delayMs`. */
export function acceptedSet(
  jobId: string,
  credits: Credits | undefined,
  at: number,
  delayMs: number,
): AcceptedSet {
  const polled = { polls: 0, waitedMs: delayMs, unfinishedAt: at };
  return { version, step: "accepted", jobId, ...(credits && { credits }), at, ...polled };
}

/** The record of a set of which only the progress of its job is left; undefined if that does not name a job. */
export function acceptedByProgress(progress: unknown, at: number): AcceptedSet | undefined {
  const { jobId, credits }: Partial<AcceptedSet> = Object(progress);
  if (!isSegment(jobId)) return undefined;
  return { version, step: "accepted", jobId, ...(credits && { credits }), at, polls: 0 };
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

/**
 * Checks the stored state of a set; returns undefined for a new set. Some databases store missing values as `null`.
 *
 * @throws {ConfigurationError} for a state that `stepSet` did not write, or that a later version of it wrote
 */
export function checkedState(state: unknown): SetState | undefined {
  if (state === undefined || state === null) return undefined;
  const known = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
  if (known.version === version) {
    if (known.step === "sending") return known as unknown as SendingSet;
    const accepted = { polls: 0, ...known } as unknown as AcceptedSet;
    if (isAccepted(accepted)) return accepted;
  }
  throw new ConfigurationError(
    "Expected `state` to be what `stepSet` saved, in a version that it knows, or nothing for a new set. Nothing was sent.",
  );
}

function isAccepted({ step, jobId, at, polls, waitedMs = 0, unfinishedAt = 0 }: AcceptedSet): boolean {
  return (
    step === "accepted" && isSegment(jobId) && [at, polls, waitedMs, unfinishedAt].every(Number.isFinite)
  );
}
