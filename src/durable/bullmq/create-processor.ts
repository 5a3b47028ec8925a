// By its namespace: an older version lacks some of the names, which would end the import without a word to the user.
import * as bullmq from "bullmq";
import type { ScreenshotSets } from "../../client.js";
import { ConfigurationError, JobFailedError, JobTimeoutError, RateLimitError } from "../../errors/errors.js";
import { wrongOption } from "../../errors/wrong-option.js";
import { readOptions } from "../../options/read-options.js";
import { outdatedPeer } from "../../peer-version.js";
import type { SetAccess } from "../../set-access.js";
import type { JobStatus, PlannedSet } from "../../types.js";
import { accessOf, checkClient, type SetClient } from "../set-client.js";
import type { AcceptedSet } from "../set-state.js";
import type { EndedStep, Stepped } from "../step.js";
import { limitsOf, type StepLimitOptions, stepTable } from "../step-options.js";
import type { StepResult, WaitingStep } from "../step-result.js";
import { takeStep } from "../take-step.js";
import { Accounts } from "./accounts.js";
import { endForGood } from "./end-for-good.js";
import { QueuedSet, workerOptionsOf } from "./set-job.js";
import { largestInteger, type SetData, type SetJob, type SetQueue, stopQueue } from "./set-queue.js";

/** Options of `createProcessor`. */
export interface ProcessorOptions extends StepLimitOptions {
  /**
   * The worker's queue. The processor stores the record of a create through it, and pauses it after a 429.
   */
  queue: SetQueue;
}

/**
 * Options that a `Worker` needs so that it pauses with its queue after a 429, and so that its sets survive any number
 * of crashes. Put a `limiter` of your own after them.
 */
export const workerOptions = {
  /** Without a limiter, a worker does not check whether the queue is paused. This one limits nothing in practice. */
  limiter: {
    /** The maximum number of starts in `duration`. */
    max: 1_000_000,
    /** In milliseconds. */
    duration: 1_000,
  },
  /** BullMQ counts the crashes over a job's whole life, and by default fails the job at the second one. */
  maxStalledCount: largestInteger,
  /** In milliseconds. A worker that is closed while its last request gets a 429 sleeps this long before it closes. */
  maximumRateLimitDelay: 1_000,
};

const processorTable = {
  ...stepTable,
  queue: (given: SetQueue | undefined): SetQueue => {
    if (typeof given?.getJob === "function") return given;
    throw wrongOption("`queue`", "the BullMQ queue that the worker works on", given);
  },
};

/** A client, or what finds the client of a job's account. Return the same client for the same account. */
export type ClientOf = AnyClient | ((job: SetJob) => AnyClient | Promise<AnyClient>);
type AnyClient = Pick<ScreenshotSets, "screenshots" | "jobs">;

/**
 * Creates a processor for a BullMQ worker. Each start of a job takes one step of its set, with at most one request (two
 * if the key was rotated). Between steps, the job is delayed and occupies no process.
 *
 * @param client where a queue serves several accounts, a function of the job. A 429 then delays the sets of its account
 *   instead of the whole queue
 * @throws {ConfigurationError} when an option is malformed, or BullMQ is older than version 5
 */
export function createProcessor(
  client: ClientOf,
  options: ProcessorOptions,
): bullmq.Processor<SetData, PlannedSet> {
  const problem = outdatedPeer("bullmq", 5);
  if (problem) throw new ConfigurationError(problem);
  if (typeof client !== "function") checkClient(client);
  const { queue, ...own } = readOptions("createProcessor", options, processorTable);
  const limits = limitsOf(own);
  const clientOf = typeof client === "function" ? client : () => client;
  const accounts = new Accounts();
  // How long sets take does not depend on their account, so all clients share what the first learns.
  let plans: SetAccess | undefined;

  return async (job: SetJob, token = "") => {
    const id = job.id as string;
    const found: SetClient = await clientOf(job);
    checkClient(found);
    const access = accessOf(found);
    plans ??= access;
    const set = await QueuedSet.read(queue, job, access);
    const isNew = set.state === undefined;
    refuseReplaced(job, isNew);
    const account = accounts.of(found);
    const heldMs = account.waitMs(id, isNew);
    if (heldMs > 0) return delay(job, heldMs, token);

    const stepped = await takeStep({
      access: { ...access, delayMs: plans.delayMs, learn: plans.learn },
      key: id,
      params: job.data?.params,
      state: set.state,
      limits,
      save: (next, previous) => set.save(next, previous, token),
    }).catch((error: unknown) => {
      throw endForGood(error);
    });
    if (isNew) account.created(id, stepped);
    if (stepped.status !== "waiting") return end(job, stepped);
    const pause = (forMs: number) =>
      typeof client === "function" ? account.stop(forMs) : stop(queue, job, forMs);
    return goOn(job, stepped, token, pause);
  };
}

/** Delays a job as long as its set waits, or fails it where waiting alone does not help. */
async function goOn(
  job: SetJob,
  stepped: Stepped & WaitingStep,
  token: string,
  pause: (forMs: number) => unknown,
): Promise<never> {
  const { state, delayMs, error, isTransient } = stepped;
  if (error instanceof JobTimeoutError) await report(job, stepped, error.job?.status);
  if (!isTransient) throw endForGood(error);
  if (state?.step === "accepted") await tell(job, state);
  if (error instanceof RateLimitError) await pause(delayMs);
  return delay(job, delayMs, token);
}

/** Ends a job as its set has ended. */
async function end(job: SetJob, ended: EndedStep): Promise<PlannedSet> {
  if (ended.status === "succeeded") {
    await report(job, ended, ended.job.status);
    return { ...ended.job, credits: ended.credits };
  }
  if (ended.error instanceof JobFailedError) await report(job, ended, ended.error.job.status);
  throw endForGood(ended.error);
}

/** @throws {ConfigurationError} for a job that BullMQ itself would remove while its set waits and is paid for */
function refuseReplaced({ opts, id }: SetJob, isNew: boolean): void {
  if (!isNew || !opts.deduplication?.replace) return;
  throw new ConfigurationError(
    `Job ${id} was added with \`deduplication: { replace: true }\`, which would remove it while its set waits, although ` +
      "that is paid for. Nothing was sent. Add it with `deduplication: { id }` and without `replace`: the same order " +
      "added again is then ignored until the set has ended.",
  );
}

/** Stops the whole queue after a 429. */
async function stop(queue: SetQueue, job: SetJob, forMs: number): Promise<never> {
  await stopQueue(queue, forMs, workerOptionsOf(job).limiter?.max ?? largestInteger);
  throw new bullmq.RateLimitError();
}

async function delay(job: SetJob, delayMs: number, token: string): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.ceil(delayMs), token).catch(async (error: unknown) => {
    // If the reply to a first call was lost, a second one finds the job where it should be.
    if (!(await job.isDelayed())) throw error;
  });
  throw new bullmq.DelayedError();
}

/** Shows a set that waits for its job, and has it run before others. */
async function tell(job: SetJob, state: AcceptedSet): Promise<void> {
  // Polls run before sets that were not created yet. With their old priority, they would run last.
  // The jobs of BullMQ 5.0 do not tell their priority.
  if ((job.priority ?? job.opts.priority ?? 0) > 0) await job.changePriority({ priority: 0 });
  await report(job, state, state.status ?? "queued");
}

/** Reports a change of status as the job's progress. */
async function report(
  job: SetJob,
  { jobId, credits }: Pick<StepResult, "jobId" | "credits">,
  status: JobStatus | undefined,
): Promise<void> {
  const last: { jobId?: string; status?: string } = Object(job.progress);
  if (status === undefined || (last.jobId === jobId && last.status === status)) return;
  await job.updateProgress({ jobId, status, ...(credits && { credits }) });
}
