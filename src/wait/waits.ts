import { jobFailed } from "../errors/job-errors.js";
import { brokenClock, checkedCallback, checkedMs, type RequestOptions } from "../options.js";
import { type Log, runQuietly } from "../secrets/log.js";
import type { Clock } from "../time/clock.js";
import { type ClockHooks, clockLead, clockResets } from "../time/clock-hooks.js";
import { onAbort } from "../time/on-abort.js";
import { Timeline } from "../time/timeline.js";
import type { CreateScreenshotsParams, FailedJob, Job, SucceededJob } from "../types.js";
import { JobWatch } from "./job-watch.js";
import type { Pace } from "./pace.js";
import { kindOf, PlansByKind } from "./plans-by-kind.js";
import { checkedDelays, type PollDelayOptions } from "./poll-delay.js";
import { PollQueue } from "./poll-queue.js";
import { type JobSource, PollStream, type StreamHost } from "./poll-stream.js";
import { drawJitter } from "./poll-times.js";
import { Waiter, type WaitHandler } from "./waiter.js";

/** Options of `waitForJob`, `watchJob` and `createAndWait`. */
export interface WaitOptions extends RequestOptions, PollDelayOptions {
  /**
   * The wait's deadline, in milliseconds from its begin; from the acceptance in `createAndWait`.
   * @default 600_000
   */
  timeoutMs?: number | undefined;
  /** Called once per change of status. What it throws is logged and ignored. */
  onUpdate?: ((job: Job) => void) | undefined;
}

/** The options of a wait as they are used. */
export type CheckedWaitOptions = ReturnType<typeof checkedWaitOptions>;

/**
 * The options that a wait checks before any request.
 *
 * @throws {ConfigurationError} for what makes no sense
 */
export function checkedWaitOptions(options: WaitOptions) {
  const { timeoutMs = 600_000, signal, onUpdate } = options ?? {};
  const { minDelayMs, maxDelayMs } = checkedDelays(options);
  return {
    timeoutMs: checkedMs("timeoutMs", timeoutMs),
    minDelayMs,
    maxDelayMs,
    signal,
    onUpdate: checkedCallback("onUpdate", onUpdate),
  };
}

/** Jobs that are remembered as this client's own. */
const rememberedJobs = 10_000;

/** What waits share: one stream of polls a job, one queue for all polls, one timer for all. */
interface SharedHost extends StreamHost {
  readonly streams: Map<string, PollStream>;
}

/**
 * Whether the platform ties timers, promises and `fetch` to the request that it runs them for, so that no wait of one
 * request can rest on another's: https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
 */
function bindsToRequests(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}

/** All waits of a client. */
export class Waits {
  readonly #accepted = new Map<string, { at: number; kind: string }>();
  readonly #clock: Clock & ClockHooks;
  readonly #log: Log;
  readonly #source: JobSource;
  readonly #learned: unknown;
  #plans: PlansByKind;
  #host: SharedHost;
  #resets: number | undefined;

  /** @param learned what a client's `learned()` gave */
  constructor(clock: Clock, log: Log, source: JobSource, learned: unknown = "") {
    this.#clock = clock;
    this.#log = log;
    this.#source = source;
    this.#learned = learned;
    this.#plans = this.#newPlans();
    this.#host = this.#newHost();
    this.#resets = this.#clock[clockResets];
  }

  /** Remembers when this client created a job, and what kind of job that is. */
  accepted(jobId: string, params: CreateScreenshotsParams): void {
    this.#forgetIfReset();
    this.#accepted.set(jobId, { at: this.#clock.now(), kind: kindOf(params) });
    if (this.#accepted.size > rememberedJobs) {
      const [oldest] = this.#accepted.keys();
      this.#accepted.delete(oldest as string);
    }
  }

  /** What was learned of how long jobs take, as text. */
  learned(): string {
    return this.#plans.keep();
  }

  /** When to look at jobs that are waited for elsewhere. */
  readonly pace: Pace = {
    now: () => Date.now() + (this.#clock[clockLead] ?? 0),
    delayMs: (params, elapsedMs, delays) =>
      this.#plans.of(kindOf(params)).delayMs(elapsedMs, drawJitter(), delays),
    learn: (params, ...times) => this.#plans.of(kindOf(params)).learn(...times),
  };

  /** Resolves to the succeeded job. `acceptedAt` is set for a job that was accepted just now. */
  wait(jobId: string, options: CheckedWaitOptions, acceptedAt?: number): Promise<SucceededJob> {
    return new Promise((resolve, reject) => {
      this.#begin(jobId, options, new PromisedJob(jobId, resolve, reject), acceptedAt);
    });
  }

  /** Each iteration is a wait of its own. */
  watch(jobId: string, options: CheckedWaitOptions): AsyncIterable<Job> {
    const begin = (handler: WaitHandler) => this.#begin(jobId, options, handler);
    return { [Symbol.asyncIterator]: () => new JobWatch(begin) };
  }

  #newPlans(): PlansByKind {
    const plans = new PlansByKind();
    if (!plans.takeBack(this.#learned))
      this.#log.warn("Ignored what makes no sense in the option learned", {});
    return plans;
  }

  #newHost(): SharedHost {
    const streams = new Map<string, PollStream>();
    const timeline = new Timeline(this.#clock, (broken) => {
      const error = brokenClock(broken);
      for (const stream of [...streams.values()]) stream.fail(error);
    });
    return {
      streams,
      clock: this.#clock,
      timeline,
      queue: new PollQueue(timeline, this.#log),
      ...this.#source,
      poll: (...asked) => this.#source.poll(...asked).finally(() => this.#forgetIfReset()),
      acceptedAt: (jobId) => this.#accepted.get(jobId)?.at,
      planFor: (jobId) => this.#plans.of(this.#accepted.get(jobId)?.kind),
      closed: ({ jobId }) => streams.delete(jobId),
    };
  }

  /** When a mock is reset, as between two tests, waits of before go on for nobody, and what was learned since is gone. */
  #forgetIfReset(): void {
    const resets = this.#clock[clockResets];
    if (resets === this.#resets) return;
    this.#resets = resets;
    for (const stream of [...this.#host.streams.values()]) stream.abandon();
    this.#accepted.clear();
    this.#plans = this.#newPlans();
    this.#host = this.#newHost();
  }

  #begin(jobId: string, options: CheckedWaitOptions, handler: WaitHandler, acceptedAt?: number): Waiter {
    this.#forgetIfReset();
    const { signal, onUpdate } = options;
    const isEager = acceptedAt === undefined;
    const waiter = new Waiter(options, acceptedAt ?? this.#clock.now(), isEager, handler);
    if (onUpdate) {
      const onError = (error: unknown) => this.#log.error("onUpdate threw", { jobId, error });
      waiter.onUpdate = (job) => runQuietly(() => onUpdate(job), onError);
    }
    if (signal?.aborted) {
      waiter.end(signal.reason);
      return waiter;
    }
    waiter.removeListener = signal && onAbort(signal, () => waiter.end(signal.reason));
    this.#stream(jobId).join(waiter);
    return waiter;
  }

  #stream(jobId: string): PollStream {
    const host = bindsToRequests() ? this.#newHost() : this.#host;
    let stream = host.streams.get(jobId);
    if (stream === undefined) {
      stream = new PollStream(jobId, host);
      host.streams.set(jobId, stream);
    }
    return stream;
  }
}

/** Settles a promise with the end of a job. A closure would hold the options, too, for as long as the wait lasts. */
class PromisedJob implements WaitHandler {
  readonly #jobId: string;
  readonly #resolve: (job: SucceededJob) => void;
  readonly #reject: (error: unknown) => void;

  constructor(jobId: string, resolve: (job: SucceededJob) => void, reject: (error: unknown) => void) {
    this.#jobId = jobId;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onEnd(error: unknown, job?: Job): void {
    if (job === undefined) this.#reject(error);
    else if (job.status === "succeeded") this.#resolve(job);
    else this.#reject(jobFailed(this.#jobId, job as FailedJob));
  }
}
