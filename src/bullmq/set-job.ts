import type { Job } from "bullmq";
import type { SetState } from "../durable/set-state.js";
import type { CreateScreenshotsParams, SucceededJob } from "../types.js";

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
  const { state: _, ...others } = job.data;
  await job.updateData(state ? { ...others, state } : others);
}

/**
 * Stores the state of a set in its job while this worker holds its lock. BullMQ stores data without asking for the
 * lock, so it is asked for on both sides: who holds it after the write held it during the write.
 */
export async function saveOwned(job: SetJob, token: string, state: SetState): Promise<void> {
  await holdLock(job, token);
  await saveState(job, state);
  await holdLock(job, token);
}

async function holdLock(job: SetJob, token: string): Promise<void> {
  if (await job.extendLock(token, lockDurationOf(job))) return;
  throw new Error(
    `Lost the lock of job ${job.id} before its create was sent. Nothing was sent: another worker has it.`,
  );
}

/** A lock lasts for as long as it was last told: that is for its worker to say, whom BullMQ's types hide. */
function lockDurationOf(job: SetJob): number {
  const { queue } = job as unknown as { queue?: { opts?: { lockDuration?: number } } };
  return queue?.opts?.lockDuration ?? 30_000;
}
