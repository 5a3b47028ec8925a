import type { Job } from "bullmq";
import type { CreateScreenshotsParams, SucceededJob } from "../../types.js";
import type { SetState } from "../set-state.js";
import { type SetQueue, storeOwned } from "./set-queue.js";

/** The data of a set's job. Its other fields are left unchanged. */
export interface SetData {
  /** The parameters of the set, as for `screenshots.create`. */
  params: CreateScreenshotsParams;
  /** The state of the set, maintained by the processor. */
  state?: SetState;
}

/** A set in the queue. */
export type SetJob = Job<SetData, SucceededJob>;

/** Stores the state of a set in its job, regardless of who holds its lock. */
export async function saveState(job: SetJob, state: SetState | undefined): Promise<void> {
  await job.updateData(dataWith(job, state));
}

/**
 * Stores the state of a set in its job if this worker holds the lock before and after. On a queue without Redis,
 * storing does not check the lock itself, but a worker that holds it afterwards also held it during the write.
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

/** The worker's lock duration, since extending a lock also sets its duration. BullMQ's types hide the worker. */
function lockDurationOf(job: SetJob): number {
  const { queue } = job as unknown as { queue?: { opts?: { lockDuration?: number } } };
  return queue?.opts?.lockDuration ?? 30_000;
}
