import { DelayedError, type Processor, RateLimitError } from "bullmq";
import type { ScreenshotSets } from "../../client.js";
import { JobFailedError, JobTimeoutError } from "../../errors/errors.js";
import { wrongOption } from "../../errors/wrong-option.js";
import { checkedOptions } from "../../options/checked-options.js";
import type { JobStatus, SucceededJob } from "../../types.js";
import type { SetState } from "../set-state.js";
import { checkClient, paceOf, takeStep } from "../step.js";
import { checkedStepOptions, type StepOptions, stepOptionNames } from "../step-options.js";
import { endForGood } from "./end-for-good.js";
import { FinishedSets } from "./finished-sets.js";
import { type SetData, type SetJob, saveOutcome, saveSending, workerOptionsOf } from "./set-job.js";
import { largestInteger, type SetQueue, stopQueue } from "./set-queue.js";

/** Options of `createProcessor`. */
export interface ProcessorOptions extends StepOptions {
  /**
   * The worker's queue. The processor stores the record of a create through it, pauses it after a 429, and learns from
   * its completed jobs.
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

const taker = "createProcessor";
const optionNames: Record<keyof ProcessorOptions, true> = { queue: true, ...stepOptionNames };

/** The longest delay, three years: BullMQ counts in fractions of a millisecond and cannot order later times. */
const longestDelayMs = 100_000_000_000;

/**
 * Creates a processor for a BullMQ worker. Each start of a job takes one step of its set, with at most one request (two
 * if the key was rotated). Between steps, the job is delayed and occupies no process.
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
  if (typeof queue?.getJob !== "function") {
    throw wrongOption("`queue`", "the BullMQ queue that the worker works on", queue);
  }
  const finished = new FinishedSets(queue, paceOf(client));

  return async (job, token = "") => {
    // Without what other processes have learned, the end of the set is only seen later.
    await finished.learn().catch(() => {});
    const { params, state } = job.data;
    const save = (next: SetState | undefined) =>
      next?.step === "sending" ? saveSending(queue, job, token, next) : saveOutcome(queue, job, next);
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
    await keep(queue, job, stepped.state);
    const delayMs = Math.min(Math.ceil(stepped.delayMs), longestDelayMs);
    if (stepped.isRateLimited) {
      await stopQueue(queue, delayMs, workerOptionsOf(job).limiter?.max ?? largestInteger);
      throw new RateLimitError();
    }
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  };
}

/** Stores the state of a waiting step before the job is released, or the next worker would find the previous state. */
async function keep(queue: SetQueue, job: SetJob, state: SetState | undefined): Promise<void> {
  if (state !== job.data.state) await saveOutcome(queue, job, state);
  if (state?.step !== "accepted") return;
  // Polls run before sets that were not created yet. With their old priority, they would run last.
  // The jobs of BullMQ 5.0 do not tell their priority.
  if ((job.priority ?? job.opts.priority ?? 0) > 0) await job.changePriority({ priority: 0 });
  await report(job, state.jobId, state.status ?? "queued");
}

/** Reports a change of status as the job's progress. */
async function report(job: SetJob, jobId: string, status: JobStatus): Promise<void> {
  const last = job.progress as { jobId?: string; status?: string } | undefined;
  if (last?.jobId !== jobId || last.status !== status) await job.updateProgress({ jobId, status });
}
