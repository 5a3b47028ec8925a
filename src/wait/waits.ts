import { brokenClock } from "../options/checked-clock.js";
import { checkedCallback, checkedCount, checkedMs, checkedSignal } from "../options/checked-options.js";
import { type RequestOptions, requestOptions, type Settings } from "../options/options.js";
import { type Log, runQuietly } from "../secrets/log.js";
import { checkedHeaders } from "../secrets/own-headers.js";
import { clockResets } from "../time/clock-hooks.js";
import { onAbort } from "../time/on-abort.js";
import { Timeline } from "../time/timeline.js";
import type { Job, SucceededJob } from "../types.js";
import type { JobMemory } from "./job-memory.js";
import { JobWatch } from "./job-watch.js";
import { checkedDelays, type PollDelayOptions } from "./poll-delay.js";
import { PollQueue } from "./poll-queue.js";
import { type JobSource, PollStream, type StreamHost } from "./poll-stream.js";
import { Waiter, type WaitHandler } from "./waiter.js";

/**
 * Options of `waitForJob`, `watchJob` and `createAndWait`. A wait with `headers` of its own has polls of its own; others
 * for the same job share theirs.
 */
export interface WaitOptions extends RequestOptions, PollDelayOptions {
  /**
   * The wait's deadline, in milliseconds from its begin; from the acceptance in `createAndWait`.
   * @default 600_000
   */
  timeoutMs?: number | undefined;
  /**
   * Attempts of the create after the first, in `createAndWait`. A wait ignores it: each poll is one request, and what
   * passes is asked again until the deadline.
   * @default the client's
   */
  maxRetries?: number | undefined;
  /** Called once per change of status. What it throws is logged and ignored. */
  onUpdate?: ((job: Job) => void) | undefined;
}

/** The name of every option of a wait. */
export const waitOptions: Record<keyof WaitOptions, true> = {
  ...requestOptions,
  minDelayMs: true,
  maxDelayMs: true,
  onUpdate: true,
};

/** The options of a wait as they are used. */
export type CheckedWaitOptions = ReturnType<typeof checkedWaitOptions>;

/**
 * The options that a wait checks before any request.
 *
 * @param taker whose options they are, such as `waitForJob`
 * @throws {ConfigurationError} for what makes no sense
 */
export function checkedWaitOptions(own: WaitOptions) {
  const { timeoutMs = 600_000, maxRetries = 0 } = own;
  checkedCount("maxRetries", maxRetries);
  const headers = checkedHeaders(own.headers);
  return {
    delays: checkedDelays(own),
    timeoutMs: checkedMs("timeoutMs", timeoutMs),
    signal: checkedSignal(own.signal),
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    onResponse: checkedCallback("onResponse", own.onResponse),
    onUpdate: checkedCallback("onUpdate", own.onUpdate),
  };
}

/** What waits share: one stream of polls a job, one queue for all polls, one timer for all. */
interface SharedHost extends StreamHost {
  /** By the id of their jobs; those of waits with headers of their own by these headers. */
  readonly streams: Map<unknown, PollStream>;
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
  readonly #settings: Settings;
  readonly #clock: Settings["clock"];
  readonly #log: Log;
  /** Clients of one service share it. */
  memory: JobMemory;
  readonly #source: JobSource;
  #host: SharedHost;
  #resets: number | undefined;

  constructor(settings: Settings, log: Log, memory: JobMemory, source: JobSource) {
    this.#settings = settings;
    this.#clock = settings.clock;
    this.#log = log;
    this.memory = memory;
    this.#source = source;
    this.#host = this.#newHost();
    this.#resets = this.#clock[clockResets];
  }

  /** Resolves to the succeeded job. `acceptedAt` is set for a job that was accepted just now. */
  wait(jobId: string, options: CheckedWaitOptions, acceptedAt?: number): Promise<SucceededJob> {
    return new Promise((resolve, reject) => {
      this.#begin(jobId, options, new PromisedJob(resolve, reject), acceptedAt);
    });
  }

  /** Each iteration is a wait of its own. */
  watch(jobId: string, options: CheckedWaitOptions): AsyncIterable<Job> {
    const begin = (handler: WaitHandler) => this.#begin(jobId, options, handler);
    return { [Symbol.asyncIterator]: () => new JobWatch(begin) };
  }

  #newHost(): SharedHost {
    const streams = new Map<unknown, PollStream>();
    const timeline = new Timeline(this.#clock, (broken) => {
      const error = brokenClock(broken);
      for (const stream of [...streams.values()]) stream.fail(error);
    });
    return {
      streams,
      clock: this.#clock,
      timeline,
      queue: new PollQueue(timeline, this.#log, this.#settings.maxConcurrentPolls),
      ...this.#source,
      poll: (...asked) => this.#source.poll(...asked).finally(() => this.#forgetIfReset()),
      acceptedAt: (jobId) => this.memory.acceptedAt(jobId),
      planFor: (jobId) => this.memory.planFor(jobId),
      closed: ({ jobId, headers }) => streams.delete(headers ?? jobId),
    };
  }

  /** When a mock is reset, as between two tests, waits of before go on for nobody. */
  #forgetIfReset(): void {
    this.memory.forgetIfReset();
    const resets = this.#clock[clockResets];
    if (resets === this.#resets) return;
    this.#resets = resets;
    for (const stream of [...this.#host.streams.values()]) stream.abandon();
    this.#host = this.#newHost();
  }

  #begin(jobId: string, options: CheckedWaitOptions, handler: WaitHandler, acceptedAt?: number): Waiter {
    this.#forgetIfReset();
    const { signal, headers } = options;
    const isEager = acceptedAt === undefined;
    const waiter = new Waiter(options, acceptedAt ?? this.#clock.now(), isEager, handler);
    waiter.onUpdate = this.#quietly("onUpdate", options.onUpdate, jobId, waiter);
    waiter.onResponse = this.#quietly("onResponse", options.onResponse, jobId, waiter);
    if (signal?.aborted) {
      waiter.end(signal.reason);
      return waiter;
    }
    waiter.removeListener = signal && onAbort(signal, () => waiter.end(signal.reason));
    this.#stream(jobId, headers).join(waiter);
    return waiter;
  }

  /** A function of the user's that does not throw, in the context of its wait. */
  #quietly<Told>(name: string, run: ((told: Told) => void) | undefined, jobId: string, waiter: Waiter) {
    if (run === undefined) return undefined;
    const onError = (error: unknown) => this.#log.error(`${name} threw`, { jobId, error });
    return (told: Told) => waiter.run(() => runQuietly(() => run(told), onError));
  }

  #stream(jobId: string, headers?: Record<string, string>): PollStream {
    const host = bindsToRequests() ? this.#newHost() : this.#host;
    let stream = host.streams.get(headers ?? jobId);
    if (stream === undefined) {
      stream = new PollStream(jobId, host, headers);
      host.streams.set(headers ?? jobId, stream);
    }
    return stream;
  }
}

/** Settles a promise with the end of a job. A closure would hold the options, too, for as long as the wait lasts. */
class PromisedJob implements WaitHandler {
  readonly #resolve: (job: SucceededJob) => void;
  readonly #reject: (error: unknown) => void;

  constructor(resolve: (job: SucceededJob) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onEnd(error: unknown, job?: Job): void {
    if (error === undefined && job) this.#resolve(job as SucceededJob);
    else this.#reject(error);
  }
}
