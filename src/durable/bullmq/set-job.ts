import type { SetAccess } from "../../set-access.js";
import { isSame } from "../is-same.js";
import { retryUntilStored } from "../retry-until-stored.js";
import { acceptedByProgress, type SetState } from "../set-state.js";
import { checkService, named } from "../set-store.js";
import {
  changeJob,
  type Kept,
  type KeptState,
  readRecord,
  type SetData,
  type SetJob,
  type SetQueue,
} from "./set-queue.js";

/**
 * The state of a set in the queue. It is stored twice: in the data of the job, for everyone to read, and in a record
 * that a write of the data cannot lose. The record counts.
 */
export class QueuedSet {
  /** The state for the next step. */
  readonly state: SetState | undefined;
  /** What is stored of it, which differs where only the progress of the job knows of the acceptance. */
  readonly #stored: SetState | undefined;
  #last: Kept;

  private constructor(
    private readonly queue: SetQueue,
    private readonly job: SetJob,
    record: KeptState | undefined,
    private readonly access: Pick<SetAccess, "now" | "baseUrl">,
  ) {
    this.#last = { data: job.data, record };
    this.#stored = storedState(this.#last);
    const isAccepted = this.#stored?.step === "accepted";
    this.state = isAccepted ? this.#stored : (acceptedByProgress(job.progress, access.now()) ?? this.#stored);
  }

  /** @throws {ConfigurationError} if the set was ordered from another service */
  static async read(
    queue: SetQueue,
    job: SetJob,
    access: Pick<SetAccess, "now" | "baseUrl">,
  ): Promise<QueuedSet> {
    const id = job.id as string;
    const record = await readRecord(queue, id);
    // Whoever moves the service changes the data, for everyone to read.
    const { baseUrl = record?.baseUrl } = Object(job.data?.state) as Partial<KeptState>;
    const place: [string, string] = ["queue", "`state.baseUrl` in the job's data"];
    checkService(`The set of job ${named(id)}`, baseUrl, access.baseUrl, place);
    return new QueuedSet(queue, job, record, access);
  }

  /**
   * Stores a state in place of another; false where another worker has stored one, or the job was removed. What follows a
   * create is stored whether or not this worker still holds the lock of the job.
   *
   * @param token that of the lock
   * @throws if the lock is lost before a create; nothing is sent then
   */
  async save(next: SetState | undefined, previous: SetState | undefined, token: string): Promise<boolean> {
    // An end is the job's own.
    if (next?.step === "ended") return true;
    const seen = previous === this.state ? this.#stored : previous;
    if (next?.step === "sending") return this.#saveSending(next, seen, token);
    if (previous?.step === "sending") return retryUntilStored(() => this.#replace(next, seen));
    return this.#replace(next, seen);
  }

  /**
   * Stores that a create is about to be sent, if this worker holds the lock before and after. On a queue without Redis,
   * storing does not check the lock itself, but a worker that holds it afterwards also held it during the write.
   */
  async #saveSending(next: SetState, seen: SetState | undefined, token: string): Promise<true> {
    await holdLock(this.job, token);
    if (!(await this.#replace(next, seen, token))) throw lockLost(this.job);
    await holdLock(this.job, token);
    return true;
  }

  /**
   * Stores a state in place of the one seen; returns false if that is not stored any more. A write whose reply was lost
   * may have been applied, and is retried: then it is found and counts.
   */
  async #replace(next: SetState | undefined, seen: SetState | undefined, token?: string): Promise<boolean> {
    const change = (now: Kept) => {
      const stored = storedState(now);
      if (!isSame(stored, seen) && !isSame(stored, next)) return undefined;
      const { state: _, ...others }: SetData = Object(now.data);
      if (next === undefined) return { data: others, record: undefined };
      const { baseUrl } = this.access;
      const state = { ...next, ...(baseUrl !== undefined && { baseUrl }) };
      return { data: { ...others, state }, record: state };
    };
    const kept = await changeJob(this.queue, this.job.id as string, this.#last, change, token);
    if (kept === undefined) return false;
    this.#last = kept;
    this.job.data = kept.data;
    return true;
  }
}

/** The record, unless only the data knows of an acceptance; without its address. */
function storedState({ data, record }: Kept): SetState | undefined {
  const { state: inData }: Partial<SetData> = Object(data);
  const isInDataAlone = record?.step !== "accepted" && inData?.step === "accepted";
  const kept = record === undefined || isInDataAlone ? inData : record;
  if (typeof kept !== "object" || kept === null) return kept ?? undefined;
  const { baseUrl: _, ...state } = kept as KeptState;
  return state as SetState;
}

async function holdLock(job: SetJob, token: string): Promise<void> {
  // Extending a lock also sets its duration.
  if (!(await job.extendLock(token, workerOptionsOf(job).lockDuration ?? 30_000))) throw lockLost(job);
}

function lockLost(job: SetJob): Error {
  return new Error(
    `Lost the lock of job ${job.id} before its create was sent, or the job was changed or removed. Nothing was sent.`,
  );
}

/** The options of the job's worker, which BullMQ's types hide. */
export function workerOptionsOf(job: SetJob): { lockDuration?: number; limiter?: { max: number } } {
  return (job as unknown as { queue: { opts: object } }).queue.opts;
}
