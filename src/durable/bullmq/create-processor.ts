import { DelayedError, type Processor, RateLimitError } from "bullmq";
import type { ScreenshotSets } from "../../client.js";
import { JobFailedError, JobTimeoutError } from "../../errors/errors.js";
import { wrongOption } from "../../errors/wrong-option.js";
import { checkedOptions } from "../../options/checked-options.js";
import type { JobStatus, SucceededJob } from "../../types.js";
import type { SetState } from "../set-state.js";
import { checkClient, paceOf, takeStep } from "../step.js";
import { checkedStepOptions, type StepOptions } from "../step-options.js";
import { endForGood } from "./end-for-good.js";
import { FinishedSets } from "./finished-sets.js";
import { type SetData, type SetJob, saveOwned, saveState } from "./set-job.js";
import { largestInteger, type SetQueue, stopQueue } from "./set-queue.js";

/** Options of `createProcessor`. */
export interface ProcessorOptions extends StepOptions {
  /**
   * The queue that its worker works on: the processor stores the record of a create through it, pauses it after a 429,
   * and learns from its completed jobs.
   */
  queue: SetQueue;
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
  maxStalledCount: largestInteger,
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
  checkClient(client);
  const { queue, ...stepOptions }: Partial<ProcessorOptions> = checkedOptions(taker, options, optionNames);
  const limits = checkedStepOptions(taker, stepOptions);
  if (typeof queue?.rateLimit !== "function") {
    throw wrongOption("`queue`", "the BullMQ queue that the worker works on", queue);
  }
  const finished = new FinishedSets(queue, paceOf(client));

  return async (job, token = "") => {
    // Without what other processes learned it is only late.
    await finished.learn().catch(() => {});
    const { params, state } = job.data;
    const save = (next: SetState | undefined) =>
      next?.step === "sending" ? saveOwned(queue, job, token, next) : saveState(job, next);
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
      await stopQueue(queue, delayMs);
      throw new RateLimitError();
    }
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
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
