import type { Job } from "bullmq";
import type { CreateScreenshotsParams, SucceededJob } from "../../types.js";
import type { SetState } from "../set-state.js";
import { changeData, type SetQueue } from "./set-queue.js";

/** The data of a set's job. Its other fields are left unchanged. */
export interface SetData {
  /** The parameters of the set, as for `screenshots.create`. */
  params: CreateScreenshotsParams;
  /** The state of the set, maintained by the processor. */
  state?: SetState;
}

/** A set in the queue. */
export type SetJob = Job<SetData, SucceededJob>;

/** If Redis refuses to store an outcome, it is tried again after pauses that double from the first to the longest. */
const firstPauseMs = 250;
const longestPauseMs = 8_000;

/**
 * Stores the outcome of a create or of a poll in its job, regardless of who holds the lock.
 *
 * @throws if another worker has stored another outcome in the meantime, or if the job was removed
 */
export async function saveOutcome(queue: SetQueue, job: SetJob, state: SetState | undefined): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    try {
      if (await save(queue, job, state)) return;
      break;
    } catch (error) {
      if (pauseMs > longestPauseMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`Job ${job.id} has been changed by another worker, or removed.`);
}

/**
 * Stores that a create is about to be sent, if this worker holds the lock before and after. On a queue without Redis,
 * storing does not check the lock itself, but a worker that holds it afterwards also held it during the write.
 */
export async function saveSending(
  queue: SetQueue,
  job: SetJob,
  token: string,
  state: SetState,
): Promise<void> {
  await holdLock(job, token);
  if (!(await save(queue, job, state, token))) throw lockLost(job);
  try {
    await holdLock(job, token);
  } catch (error) {
    // Nothing will be sent, so the record is removed. Otherwise the set would end as one that may have been charged.
    await save(queue, job, undefined).catch(() => {});
    throw error;
  }
}

/** Stores the state of a set in its job and leaves all other data unchanged. Returns false if it must not be stored. */
async function save(
  queue: SetQueue,
  job: SetJob,
  next: SetState | undefined,
  token?: string,
): Promise<boolean> {
  const change = (stored: SetData) => {
    const { state, ...others } = stored;
    if (!isSame(stored.params, job.data.params) || !mayReplace(state, job.data.state, next)) return undefined;
    return next ? { ...others, state: next } : others;
  };
  const data = await changeData(queue, job, change, token);
  if (data) job.data = data;
  return data !== undefined;
}

/**
 * Whether a state may replace the stored one. Usually the stored state must be the one that this step has seen last. An
 * acceptance was charged, so it may replace anything except the acceptance of another job.
 */
function mayReplace(
  stored: SetState | undefined,
  seen: SetState | undefined,
  next: SetState | undefined,
): boolean {
  if (next?.step !== "accepted") return isSame(stored, seen);
  return stored?.step !== "accepted" || stored.jobId === next.jobId;
}

function isSame(one: unknown = null, other: unknown = null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function holdLock(job: SetJob, token: string): Promise<void> {
  // Extending a lock also sets its duration.
  if (!(await job.extendLock(token, workerOptionsOf(job).lockDuration ?? 30_000))) throw lockLost(job);
}

function lockLost(job: SetJob): Error {
  return new Error(
    `Lost the lock of job ${job.id} before its create was sent. Nothing was sent: another worker has it.`,
  );
}

/** The options of the job's worker, which BullMQ's types hide. */
export function workerOptionsOf(job: SetJob): { lockDuration?: number; limiter?: { max: number } } {
  const { queue } = job as unknown as { queue?: { opts?: object } };
  return queue?.opts ?? {};
}
