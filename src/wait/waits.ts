import { type RequestOptions, requestTable, type Settings } from "../options/options.js";
import { type Checked, callback, milliseconds, type Table } from "../options/read-options.js";
import { onCloudflare } from "../secrets/in-browser.js";
import { type Log, runQuietly } from "../secrets/log.js";
import { onAbort } from "../time/on-abort.js";
import type { Job, SucceededJob } from "../types.js";
import { Gate } from "./gate.js";
import type { JobMemory } from "./job-memory.js";
import type { JobSource } from "./job-source.js";
import { checkedDelays, delayTable, type PollDelayOptions } from "./poll-delay.js";
import { PollStream, type StreamHost } from "./poll-stream.js";
import { Waiter, type WaitHandler } from "./waiter.js";
import { watch } from "./watch.js";

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

/** The options of a wait. */
export const waitTable = {
  ...requestTable,
  ...delayTable,
  timeoutMs: milliseconds(600_000),
  onUpdate: callback<(job: Job) => void>(),
} satisfies Table<WaitOptions>;

/** The options of a wait after their checks, with defaults. */
export type CheckedWaitOptions = ReturnType<typeof checkedWaitOptions>;

/** What a wait needs of its options. */
export function checkedWaitOptions(own: Checked<typeof waitTable>) {
  const { timeoutMs, signal, headers: given, onResponse, onUpdate } = own;
  const headers = Object.keys(given).length > 0 ? given : undefined;
  return { delays: checkedDelays(own), timeoutMs, signal, headers, onResponse, onUpdate };
}

/** All waits of a client. */
export class Waits {
  /** What the waits since the mock was last reset share. */
  #host: StreamHost | undefined;
  /** What was learned when these began. */
  #plans: JobMemory["plans"] | undefined;

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
      const onEnd = (error: unknown, job?: Job) =>
        job && error === undefined ? resolve(job as SucceededJob) : reject(error);
      this.#begin(jobId, options, { onUpdate() {}, onEnd }, acceptedAt);
    });
  }

  /** Each iteration is a separate wait. */
  watch(jobId: string, options: CheckedWaitOptions): AsyncIterable<Job> {
    return { [Symbol.asyncIterator]: () => watch((handler) => this.#begin(jobId, options, handler)) };
  }

  #begin(jobId: string, options: CheckedWaitOptions, handler: WaitHandler, acceptedAt?: number): Waiter {
    const { signal, headers, timeoutMs, delays, onResponse } = options;
    const host = this.#currentHost();
    const waiter = new Waiter(
      acceptedAt ?? host.clock.now(),
      timeoutMs,
      delays,
      acceptedAt === undefined,
      onResponse,
      this.#tellingUser(jobId, options, handler),
    );
    if (signal?.aborted) {
      waiter.end(signal.reason);
      return waiter;
    }
    waiter.whenOver(onAbort(signal, () => waiter.end(signal?.reason)));
    // Cloudflare ties timers, promises and `fetch` to the request they were started for, so waits share nothing there:
    // https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
    const own = onCloudflare() ? this.#newHost() : host;
    const stream = own.streams.get(headers ?? jobId) ?? new PollStream(jobId, own, headers);
    stream.join(waiter);
    return waiter;
  }

  /** Calls the user's `onUpdate` before the handler's, and logs what it throws. */
  #tellingUser(jobId: string, { onUpdate }: CheckedWaitOptions, handler: WaitHandler): WaitHandler {
    if (onUpdate === undefined) return handler;
    const onError = (error: unknown) => this.log.error("onUpdate threw", { jobId, error });
    return {
      onUpdate(job) {
        runQuietly(() => onUpdate(job), onError);
        handler.onUpdate(job);
      },
      onEnd: handler.onEnd,
    };
  }

  #newHost(): StreamHost {
    const { clock, maxConcurrentPolls } = this.settings;
    const poll: JobSource["poll"] = (...asked) =>
      this.source.poll(...asked).finally(() => this.#currentHost());
    const gate = new Gate(maxConcurrentPolls);
    return { ...this.source, poll, clock, gate, memory: this.memory, streams: new Map() };
  }

  /** Abandons the waits that began before the mock was last reset, for example between two tests. */
  #currentHost(): StreamHost {
    this.memory.forgetIfReset();
    if (this.#host && this.#plans === this.memory.plans) return this.#host;
    for (const stream of this.#host?.streams.values() ?? []) stream.abandon();
    this.#plans = this.memory.plans;
    this.#host = this.#newHost();
    return this.#host;
  }
}
