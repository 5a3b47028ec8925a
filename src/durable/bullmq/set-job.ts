import type { Job } from "bullmq";
import type { CreateScreenshotsParams, SucceededJob } from "../../types.js";
import type { SetState } from "../set-state.js";
import { type SetQueue, storeOwned } from "./set-queue.js";

/** The data of a set's job. What else is in there is left alone. */
export interface SetData {
  /** What to plan, as for `screenshots.create`. */
  params: CreateScreenshotsParams;
  /** Kept by the processor. */
  state?: SetState;
}

/** A set in the queue. */
export type SetJob = Job<SetData, SucceededJob>;

/** Stores the state of a set in its job, whoever holds its lock. */
export async function saveState(job: SetJob, state: SetState | undefined): Promise<void> {
  await job.updateData(dataWith(job, state));
}

/**
 * Stores the state of a set in its job if this worker holds its lock, before and after. Where the queue is not on Redis,
 * storing does not ask for the lock itself: who holds it after that held it during that.
 */
export async function saveOwned(queue: SetQueue, job: SetJob, token: string, state: SetState): Promise<void> {
  await holdLock(job, token);
  const data = dataWith(job, state);
  const isStored = await storeOwned(queue, job.id as string, token, data);
  if (isStored === false) throw lockLost(job);
  if (isStored) job.data = data;
  else await job.updateData(data);
  await holdLock(job, token);
}

function dataWith(job: SetJob, state: SetState | undefined): SetData {
  const { state: _, ...others } = job.data;
  return state ? { ...others, state } : others;
}

async function holdLock(job: SetJob, token: string): Promise<void> {
  if (!(await job.extendLock(token, lockDurationOf(job)))) throw lockLost(job);
}

function lockLost(job: SetJob): Error {
  return new Error(
    `Lost the lock of job ${job.id} before its create was sent. Nothing was sent: another worker has it.`,
  );
}

/** A lock lasts for as long as it was last told: that is for its worker to say, whom BullMQ's types hide. */
function lockDurationOf(job: SetJob): number {
  const { queue } = job as unknown as { queue?: { opts?: { lockDuration?: number } } };
  return queue?.opts?.lockDuration ?? 30_000;
}
