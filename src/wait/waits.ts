import { onCloudflare } from "../options/in-browser.js";
import type { Settings } from "../options/options.js";
import { type Log, runQuietly } from "../secrets/log.js";
import type { Clock } from "../time/clock.js";
import { onAbort } from "../time/on-abort.js";
import type { Job, SucceededJob } from "../types.js";
import type { JobMemory } from "./job-memory.js";
import type { LearnedPlan } from "./learned-plan.js";
import { Gate, type JobSource, PollStream, type WaitHost } from "./poll-stream.js";
import type { CheckedWaitOptions } from "./wait-options.js";
import { Waiter, type WaitHandler } from "./waiter.js";
import { watch } from "./watch.js";

/** All waits of a client. */
export class Waits implements WaitHost {
  /** By job id, or by the headers object for waits with their own headers. */
  readonly #streams = new Map<unknown, PollStream>();
  readonly clock: Clock;
  readonly gate: Gate;
  readonly passes: JobSource["passes"];
  /** The memory's plan when the present waits began. */
  #plan: LearnedPlan;

  constructor(
    private readonly settings: Settings,
    private readonly log: Log,
    /** Shared by clients of the same service. */
    public memory: JobMemory,
    private readonly source: JobSource,
  ) {
    this.clock = settings.clock;
    this.gate = new Gate(settings.maxConcurrentPolls);
    this.passes = source.passes;
    this.#plan = memory.plan;
  }

  /** Resolves to the succeeded job. Pass `acceptedAt` for a job that was just accepted. */
  wait(jobId: string, options: CheckedWaitOptions, acceptedAt?: number): Promise<SucceededJob> {
    return new Promise((resolve, reject) => {
      const onEnd = (error: unknown, job?: Job) =>
        job && error === undefined ? resolve(job as SucceededJob) : reject(error);
      this.#begin(jobId, options, { onEnd }, acceptedAt);
    });
  }

  /** Each iteration is a separate wait. */
  watch(jobId: string, options: CheckedWaitOptions): AsyncIterable<Job> {
    return { [Symbol.asyncIterator]: () => watch((handler) => this.#begin(jobId, options, handler)) };
  }

  readonly poll: JobSource["poll"] = (...asked) =>
    this.source.poll(...asked).finally(() => this.#abandonIfReset());

  #begin(jobId: string, options: CheckedWaitOptions, handler: WaitHandler, acceptedAt?: number): Waiter {
    this.#abandonIfReset();
    const { signal, headers, onUpdate } = options;
    const onError = (error: unknown) => this.log.error("onUpdate threw", { jobId, error });
    const waiter = new Waiter(options, acceptedAt ?? this.clock.now(), acceptedAt === undefined, {
      onUpdate(job) {
        if (onUpdate) runQuietly(() => onUpdate(job), onError);
        handler.onUpdate?.(job);
      },
      onEnd: handler.onEnd,
    });
    if (signal?.aborted) {
      waiter.end(signal.reason);
      return waiter;
    }
    waiter.whenOver(onAbort(signal, () => waiter.end(signal?.reason)));
    // Cloudflare ties timers, promises and `fetch` to the request they were started for, so waits share nothing there:
    // https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
    const host = onCloudflare() ? new Waits(this.settings, this.log, this.memory, this.source) : this;
    host.#join(jobId, headers, waiter);
    return waiter;
  }

  #join(jobId: string, headers: CheckedWaitOptions["headers"], waiter: Waiter): void {
    const key = headers ?? jobId;
    const stream =
      this.#streams.get(key) ?? new PollStream(jobId, headers, this, () => this.#streams.delete(key));
    this.#streams.set(key, stream);
    stream.join(waiter);
  }

  /** Abandons the waits that began before the mock was last reset, for example between two tests. */
  #abandonIfReset(): void {
    this.memory.forgetIfReset();
    if (this.#plan === this.memory.plan) return;
    this.#plan = this.memory.plan;
    for (const stream of this.#streams.values()) stream.abandon();
  }
}
