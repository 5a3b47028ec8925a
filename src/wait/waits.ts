import { brokenClock } from "../options/checked-clock.js";
import { checkedCallback, checkedCount, checkedMs, checkedSignal } from "../options/checked-options.js";
import { type RequestOptions, requestOptions, type Settings } from "../options/options.js";
import { onCloudflare } from "../secrets/in-browser.js";
import { type Log, runQuietly } from "../secrets/log.js";
import { checkedHeaders } from "../secrets/own-headers.js";
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
 * Options of `waitForJob`, `watchJob` and `createAndWait`. Waits for the same job share their polls, except that a wait
 * with its own `headers` has its own polls.
 */
export interface WaitOptions extends RequestOptions, PollDelayOptions {
  /**
   * The wait's deadline, in milliseconds from its start; in `createAndWait`, from the acceptance.
   * @default 600_000
   */
  timeoutMs?: number | undefined;
  /**
   * How often `createAndWait` may repeat its create. A wait ignores it: each poll is one request, and after a transient
   * failure the job is polled again until the deadline.
   * @default the client's
   */
  maxRetries?: number | undefined;
  /** Called once per status change. An error that it throws is logged and ignored. */
  onUpdate?: ((job: Job) => void) | undefined;
}

/** The names of all options of a wait. */
export const waitOptions: Record<keyof WaitOptions, true> = {
  ...requestOptions,
  minDelayMs: true,
  maxDelayMs: true,
  onUpdate: true,
};

/** The options of a wait after their checks, with defaults. */
export type CheckedWaitOptions = ReturnType<typeof checkedWaitOptions>;

/**
 * Checks the options of a wait before any request.
 *
 * @throws {ConfigurationError} for a value that makes no sense
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

/** All waits of a client. */
export class Waits {
  /** What the waits since the mock was last reset share. */
  #host: StreamHost | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly log: Log,
    /** Shared by clients of the same service. */
    public memory: JobMemory,
    private readonly source: JobSource,
  ) {}

  /** Resolves to the succeeded job. Pass `acceptedAt` for a job that was just accepted. */
  wait(jobId: string, options: CheckedWaitOptions, acceptedAt?: number): Promise<SucceededJob> {
    return new Promise((resolve, reject) => {
      this.#begin(jobId, options, new PromisedJob(resolve, reject), acceptedAt);
    });
  }

  /** Each iteration is a separate wait. */
  watch(jobId: string, options: CheckedWaitOptions): AsyncIterable<Job> {
    const begin = (handler: WaitHandler) => this.#begin(jobId, options, handler);
    return { [Symbol.asyncIterator]: () => new JobWatch(begin) };
  }

  #newHost(): StreamHost {
    const { clock, maxConcurrentPolls } = this.settings;
    const streams = new Map<unknown, PollStream>();
    const timeline = new Timeline(clock, (broken) => {
      const error = brokenClock(broken);
      for (const stream of [...streams.values()]) stream.fail(error);
    });
    const queue = new PollQueue(timeline, this.log, maxConcurrentPolls);
    const poll: JobSource["poll"] = (...asked) =>
      this.source.poll(...asked).finally(() => this.#forgetIfReset());
    const { plans } = this.memory;
    return { ...this.source, poll, streams, clock, timeline, queue, memory: this.memory, plans };
  }

  /** Abandons all waits that began before the mock was last reset, for example between two tests. */
  #forgetIfReset(): void {
    this.memory.forgetIfReset();
    if (this.#host === undefined || this.#host.plans === this.memory.plans) return;
    for (const stream of [...this.#host.streams.values()]) stream.abandon();
    this.#host = undefined;
  }

  #begin(jobId: string, options: CheckedWaitOptions, handler: WaitHandler, acceptedAt?: number): Waiter {
    this.#forgetIfReset();
    const { signal, headers } = options;
    const isEager = acceptedAt === undefined;
    const waiter = new Waiter(options, acceptedAt ?? this.settings.clock.now(), isEager, handler);
    waiter.onUpdate = this.#quietly("onUpdate", options.onUpdate, jobId, waiter);
    waiter.onResponse = this.#quietly("onResponse", options.onResponse, jobId, waiter);
    if (signal?.aborted) waiter.end(signal.reason);
    else {
      waiter.removeListener = signal && onAbort(signal, () => waiter.end(signal.reason));
      this.#host ??= this.#newHost();
      // Cloudflare ties timers, promises and `fetch` to the request they were started for, so waits share no polls:
      // https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
      const host = onCloudflare() ? this.#newHost() : this.#host;
      const stream = host.streams.get(headers ?? jobId) ?? new PollStream(jobId, host, headers);
      stream.join(waiter);
    }
    return waiter;
  }

  /** Wraps a user's callback so that it does not throw and runs in the async context of its wait. */
  #quietly<Told>(name: string, run: ((told: Told) => void) | undefined, jobId: string, waiter: Waiter) {
    if (run === undefined) return undefined;
    const onError = (error: unknown) => this.log.error(`${name} threw`, { jobId, error });
    return (told: Told) => waiter.context.runInAsyncScope(() => runQuietly(() => run(told), onError));
  }
}

/** Settles a promise when the wait ends. A closure would also keep the options in memory during the wait. */
class PromisedJob implements WaitHandler {
  constructor(
    private readonly resolve: (job: SucceededJob) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  onUpdate(): void {}

  onEnd(error: unknown, job?: Job): void {
    if (error === undefined && job) this.resolve(job as SucceededJob);
    else this.reject(error);
  }
}
