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

/** Redis may refuse writes for a moment: what became of a create is stored again after this pause, and twice as long ones, */
const firstPauseMs = 250;
/** the last of which is this long. */
const longestPauseMs = 8_000;

/**
 * Stores the outcome of a create or of a poll in its job, whoever holds the lock.
 *
 * @throws when another worker has stored another outcome meanwhile, or the job is gone
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
    // Nothing will be sent. If this fails too, the set ends as one that may have been charged.
    await save(queue, job, undefined).catch(() => {});
    throw error;
  }
}

/** Stores the state of a set, and nothing else, in its job. Returns false where another worker's state must stay. */
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
  const data = await changeData(queue, job.id as string, change, token);
  if (data) job.data = data;
  return data !== undefined;
}

/**
 * Whether a state may replace the stored one, though this step last saw another. An acceptance may replace anything but
 * that of another job, since it was charged.
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
  if (!(await job.extendLock(token, workerOptionsOf(job).lockDuration ?? 30_000))) throw lockLost(job);
}

function lockLost(job: SetJob): Error {
  return new Error(
    `Lost the lock of job ${job.id} before its create was sent. Nothing was sent: another worker has it.`,
  );
}

/** The options of the job's worker, which BullMQ's types hide. Extending a lock, for one, also sets its duration. */
export function workerOptionsOf(job: SetJob): { lockDuration?: number; limiter?: { max: number } } {
  const { queue } = job as unknown as { queue?: { opts?: object } };
  return queue?.opts ?? {};
}
