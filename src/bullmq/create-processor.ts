import { DelayedError, type Processor, type Queue, RateLimitError } from "bullmq";
import { checkedOptions } from "../checked-options.js";
import type { ScreenshotSets } from "../client.js";
import type { SetState } from "../durable/set-state.js";
import { paceOf, takeStep } from "../durable/step.js";
import { checkedStepOptions, type StepOptions } from "../durable/step-options.js";
import { JobFailedError, JobTimeoutError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import type { JobStatus, SucceededJob } from "../types.js";
import { endForGood } from "./end-for-good.js";
import { FinishedSets } from "./finished-sets.js";
import { type SetData, type SetJob, saveOwned, saveState } from "./set-job.js";

/** Options of `createProcessor`. */
export interface ProcessorOptions extends StepOptions {
  /** The queue that its worker works on: the processor pauses it after a 429, and learns from its completed jobs. */
  queue: Pick<Queue, "getJob" | "getRanges" | "getRateLimitTtl" | "rateLimit">;
}

/**
 * What a `Worker` needs to pause with its queue after a 429, and for its sets to survive any number of crashes. A
 * `limiter` of your own comes after it.
 */
export const workerOptions = {
  /** Without any limiter, a worker does not ask whether the queue is paused. This one limits nothing. */
  limiter: {
    /** So many starts */
    max: 1_000_000,
    /** in so many milliseconds. */
    duration: 1_000,
  },
  /** BullMQ counts the crashes of a job's whole life, and by default fails it at the second one. */
  maxStalledCount: Number.MAX_SAFE_INTEGER,
  /** A worker that is closed while its last request meets a 429 sleeps for as long before it is. */
  maximumRateLimitDelay: 1_000,
};

const taker = "createProcessor";
const optionNames: Record<keyof ProcessorOptions, true> = {
  queue: true,
  minDelayMs: true,
  maxDelayMs: true,
  timeoutMs: true,
};

/** A later time is beyond what BullMQ can order: it counts in fractions of a millisecond. Three years. */
const longestDelayMs = 100_000_000_000;

/**
 * A processor for a BullMQ worker: one start of a job is one step of its set, and one request at most. Between steps
 * the job is delayed, and no process is held.
 *
 * @throws {ConfigurationError} when an option is malformed
 */
export function createProcessor(
  client: Pick<ScreenshotSets, "screenshots" | "jobs">,
  options: ProcessorOptions,
): Processor<SetData, SucceededJob> {
  const { queue, ...stepOptions }: Partial<ProcessorOptions> = checkedOptions(taker, options, optionNames);
  const limits = checkedStepOptions(taker, stepOptions);
  if (typeof queue?.rateLimit !== "function") {
    throw wrongOption("`queue`", "the BullMQ queue that the worker works on", queue);
  }
  const finished = new FinishedSets(queue, paceOf(client));
  const stopQueue = queueStopper(queue);

  return async (job, token = "") => {
    // Without what other processes learned it is only late.
    await finished.learn().catch(() => {});
    const { params, state } = job.data;
    const save = (next: SetState | undefined) =>
      next?.step === "sending" ? saveOwned(job, token, next) : saveState(job, next);
    const stepped = await takeStep({ client, params, state, save, limits }).catch(async (error: unknown) => {
      const isOfJob = error instanceof JobFailedError || error instanceof JobTimeoutError;
      if (isOfJob && error.job) await report(job, error.job.id, error.job.status);
      throw endForGood(error);
    });
    if (stepped.status === "succeeded") {
      finished.add(job.id as string);
      await report(job, stepped.job.id, stepped.job.status);
      return stepped.job;
    }
    await keep(job, stepped.state);
    const delayMs = Math.min(Math.ceil(stepped.delayMs), longestDelayMs);
    if (stepped.isRateLimited) {
      await stopQueue(delayMs);
      throw new RateLimitError();
    }
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  };
}

/** What BullMQ counts a queue up to that `rateLimit` stopped; below is what a `limiter` counts. */
const stoppedCount = Number.MAX_SAFE_INTEGER;

/** Stops the whole queue, for as long as the longest of several 429s says: by itself, BullMQ takes the last one. */
function queueStopper(queue: ProcessorOptions["queue"]): (forMs: number) => Promise<void> {
  let until = 0;
  return async (forMs) => {
    const stoppedMs = await queue.getRateLimitTtl(stoppedCount);
    const now = performance.now();
    until = Math.max(until, now + Math.max(forMs, stoppedMs));
    await queue.rateLimit(Math.ceil(until - now));
  };
}

/** Stores what a step that waits has left: before the job is given up, or the next worker would find the step before. */
async function keep(job: SetJob, state: SetState | undefined): Promise<void> {
  if (state !== job.data.state) await saveState(job, state);
  if (state?.step !== "accepted") return;
  // Looks go before sets that were not begun, which would else be looked at last.
  if (job.priority > 0) await job.changePriority({ priority: 0 });
  await report(job, state.jobId, state.status ?? "queued");
}

/** Tells of a change of status. */
async function report(job: SetJob, jobId: string, status: JobStatus): Promise<void> {
  const last = job.progress as { jobId?: string; status?: string } | undefined;
  if (last?.jobId !== jobId || last.status !== status) await job.updateProgress({ jobId, status });
}
