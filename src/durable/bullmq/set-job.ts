import type { SetAccess } from "../../set-access.js";
import { acceptedByProgress, type SetState } from "../set-state.js";
import { changeJob, type Kept, readRecord, type SetData, type SetJob, type SetQueue } from "./set-queue.js";

/**
 * If Redis refuses to store an outcome, it is tried again after pauses that double from the first to the longest, for
 * longer than an outage usually lasts.
 */
const pausesMs = { first: 250, longest: 8_000, all: 120_000 };

/**
 * The state of a set in the queue. It is stored twice: in the data of the job, for everyone to read, and in a record
 * that a write of the data cannot lose. The record counts.
 */
export class QueuedSet {
  /** The state for the next step. */
  state: SetState | undefined;
  #last: Kept;

  private constructor(
    private readonly queue: SetQueue,
    private readonly job: SetJob,
    record: SetState | undefined,
    now: number,
  ) {
    this.#last = { data: job.data, record };
    const stored = storedState(this.#last);
    this.state = stored?.step === "accepted" ? stored : (acceptedByProgress(job.progress, now) ?? stored);
  }

  static async read(queue: SetQueue, job: SetJob, { now }: Pick<SetAccess, "now">): Promise<QueuedSet> {
    return new QueuedSet(queue, job, await readRecord(queue, job.id as string), now());
  }

  /**
   * Stores that a create is about to be sent, if this worker holds the lock before and after. On a queue without Redis,
   * storing does not check the lock itself, but a worker that holds it afterwards also held it during the write.
   */
  async saveSending(token: string, state: SetState): Promise<void> {
    await holdLock(this.job, token);
    try {
      if (!(await this.#save(state, { token }))) throw lockLost(this.job);
      await holdLock(this.job, token);
    } catch (error) {
      // Nothing will be sent, so the record is removed. Otherwise the set would end as one that may have been charged.
      await this.#save(undefined, { seen: state }).catch(() => {});
      throw error;
    }
  }

  /**
   * Stores the outcome of a create or of a poll, regardless of who holds the lock.
   *
   * @throws if another worker has stored another outcome in the meantime, or if the job was removed
   */
  async saveOutcome(state: SetState | undefined): Promise<void> {
    for (let pauseMs = pausesMs.first, waitedMs = 0; ; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
      try {
        if (await this.#save(state)) return;
        break;
      } catch (error) {
        if (waitedMs >= pausesMs.all) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      waitedMs += pauseMs;
    }
    throw new Error(`Job ${this.job.id} has been changed by another worker, or removed.`);
  }

  /**
   * Stores a state in place of the one seen last; returns false if that is not stored any more. A write whose reply was
   * lost may have been applied, and is sent again: then it is found and counts.
   */
  async #save(
    next: SetState | undefined,
    { seen = storedState(this.#last), token }: { seen?: SetState | undefined; token?: string } = {},
  ): Promise<boolean> {
    const change = (now: Kept) => {
      const stored = storedState(now);
      if (!isSame(stored, seen) && !isSame(stored, next)) return undefined;
      const { state: _, ...others }: SetData = Object(now.data);
      return { data: next ? { ...others, state: next } : others, record: next };
    };
    const kept = await changeJob(this.queue, this.job.id as string, this.#last, change, token);
    if (kept === undefined) return false;
    this.#last = kept;
    this.state = next;
    this.job.data = kept.data;
    return true;
  }
}

/** The record, unless only the data knows of an acceptance. */
function storedState({ data, record }: Kept): SetState | undefined {
  const { state: inData }: Partial<SetData> = Object(data);
  if (record === undefined) return inData;
  return record.step !== "accepted" && inData?.step === "accepted" ? inData : record;
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
  return (job as unknown as { queue: { opts: object } }).queue.opts;
}
