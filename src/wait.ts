import type { Clock } from "./clock.js";
import { JobFailedError } from "./errors.js";
import { type Log, runQuietly } from "./log.js";
import { checkedMs, type RequestOptions } from "./options.js";
import { checkedDelays, type PollDelayOptions } from "./poll-plan.js";
import { PollStream, type StreamHost, type Waiter } from "./poll-stream.js";
import { Timeline } from "./timeline.js";
import type { FailedJob, Job, SucceededJob } from "./types.js";

/** Options of `waitForJob`, `watchJob` and `createAndWait`. */
export interface WaitOptions extends RequestOptions, PollDelayOptions {
  /**
   * The wait's deadline, in milliseconds from its begin; from the acceptance in `createAndWait`.
   * @default 600_000
   */
  timeoutMs?: number;
  /** Called once per change of status. What it throws is logged and ignored. */
  onUpdate?: (job: Job) => void;
}

interface Wait {
  jobId: string;
  options: WaitOptions;
  /** When the deadline began to count, where that is not now. */
  startedAt?: number;
  update(job: Job): void;
  end(error: unknown, job?: Job): void;
}

/** The options that a wait checks before any request. */
export function checkedWaitOptions({ timeoutMs = 600_000, ...options }: WaitOptions) {
  return { ...checkedDelays(options), timeoutMs: checkedMs("timeoutMs", timeoutMs) };
}

/** Jobs that are remembered as this client's own. */
const rememberedJobs = 10_000;

/** All waits of a client: one stream of polls a job, one timer for all. */
export class Waits {
  readonly #streams = new Map<string, PollStream>();
  readonly #accepted = new Map<string, number>();
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #host: StreamHost;

  constructor(clock: Clock, log: Log, poll: StreamHost["poll"]) {
    this.#clock = clock;
    this.#log = log;
    this.#host = {
      clock,
      timeline: new Timeline(clock),
      poll,
      acceptedAt: (jobId) => this.#accepted.get(jobId),
      closed: ({ jobId }) => this.#streams.delete(jobId),
    };
  }

  /** Remembers when this client created a job. */
  accepted(jobId: string): void {
    this.#accepted.set(jobId, this.#clock.now());
    for (const oldest of this.#accepted.keys()) {
      if (this.#accepted.size <= rememberedJobs) break;
      this.#accepted.delete(oldest);
    }
  }

  /** Resolves to the succeeded job. `startedAt` is set for a job that was accepted just now. */
  wait(jobId: string, options: WaitOptions, startedAt?: number): Promise<SucceededJob> {
    return new Promise((resolve, reject) => {
      this.#begin({
        jobId,
        options,
        ...(startedAt === undefined ? {} : { startedAt }),
        update: () => {},
        end: (error, job) => {
          if (job === undefined) reject(error);
          else if (job.status === "succeeded") resolve(job);
          else reject(jobFailed(jobId, job as FailedJob));
        },
      });
    });
  }

  watch(jobId: string, options: WaitOptions): AsyncIterable<Job> {
    return { [Symbol.asyncIterator]: () => this.#iterate(jobId, options) };
  }

  #iterate(jobId: string, options: WaitOptions): AsyncIterator<Job, undefined> {
    const jobs: Job[] = [];
    const asked: { resolve(result: IteratorResult<Job, undefined>): void; reject(error: unknown): void }[] =
      [];
    let state: "new" | "open" | "ended" = "new";
    let failure: { error: unknown } | undefined;
    let leave = () => {};

    const supply = () => {
      while (asked.length > 0 && (jobs.length > 0 || state === "ended")) {
        const next = asked.shift() as (typeof asked)[number];
        const job = jobs.shift();
        if (job !== undefined) next.resolve({ done: false, value: job });
        else if (failure) {
          next.reject(failure.error);
          failure = undefined;
        } else next.resolve({ done: true, value: undefined });
      }
    };
    const finish = (error: unknown, job?: Job) => {
      state = "ended";
      if (job === undefined) failure = { error };
      supply();
    };
    const open = () => {
      state = "open";
      const update = (job: Job) => {
        jobs.push(job);
        supply();
      };
      try {
        leave = this.#begin({ jobId, options, update, end: finish });
      } catch (error) {
        finish(error);
      }
    };
    return {
      next: () =>
        new Promise((resolve, reject) => {
          asked.push({ resolve, reject });
          if (state === "new") open();
          supply();
        }),
      return: async () => {
        state = "ended";
        failure = undefined;
        jobs.length = 0;
        leave();
        supply();
        return { done: true, value: undefined };
      },
    };
  }

  /** Begins a wait; returns what leaves it without an end. */
  #begin({ jobId, options, startedAt, update, end }: Wait): () => void {
    const { signal, onUpdate } = options;
    const { timeoutMs, minDelayMs, maxDelayMs } = checkedWaitOptions(options);
    if (signal?.aborted) {
      end(signal.reason);
      return () => {};
    }
    const begin = startedAt ?? this.#clock.now();
    const stream = this.#stream(jobId);
    const waiter: Waiter = {
      startedAt: begin,
      deadline: begin + timeoutMs,
      minDelayMs,
      maxDelayMs,
      polls: 0,
      status: undefined,
      update: (job) => {
        if (onUpdate)
          runQuietly(
            () => onUpdate(job),
            (error) => this.#log.error("onUpdate threw", { jobId, error }),
          );
        update(job);
      },
      end: (error, job) => {
        signal?.removeEventListener("abort", onAbort);
        end(error, job);
      },
    };
    const leave = () => {
      signal?.removeEventListener("abort", onAbort);
      stream.leave(waiter);
    };
    function onAbort() {
      leave();
      end(signal?.reason);
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    stream.join(waiter, startedAt === undefined);
    return leave;
  }

  #stream(jobId: string): PollStream {
    let stream = this.#streams.get(jobId);
    if (stream === undefined) {
      stream = new PollStream(jobId, this.#host);
      this.#streams.set(jobId, stream);
    }
    return stream;
  }
}

function jobFailed(jobId: string, job: FailedJob): JobFailedError {
  const { message } = (job.error ?? {}) as { message?: unknown };
  const why = typeof message === "string" ? `: ${message}` : ". Its `error` says why";
  return new JobFailedError(`Job ${jobId} failed${why}.`, { jobId, job });
}
