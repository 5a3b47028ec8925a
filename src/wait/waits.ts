import { jobFailed, jobTimedOut } from "../errors/job-errors.js";
import { endOf } from "../job-end.js";
import { onCloudflare } from "../options/in-browser.js";
import type { Settings } from "../options/options.js";
import { type Log, runQuietly } from "../secrets/log.js";
import { CancelScope } from "../time/cancel-scope.js";
import { after } from "../time/clock.js";
import { resetWatch } from "../time/clock-hooks.js";
import { onAbort } from "../time/on-abort.js";
import type { FailedJob, Job, SucceededJob } from "../types.js";
import type { JobMemory } from "./job-memory.js";
import { drawJitter, shortestPauseMs } from "./poll-delay.js";
import { type Found, type JobSource, Poller } from "./poller.js";
import type { CheckedWaitOptions } from "./wait-options.js";
import { watch } from "./watch.js";

/** How long before the deadline the last poll is due; a tenth of the wait if that is shorter. */
const lastPollMs = 500;
/** Why a wait is cancelled whose deadline has passed. */
const timedOut = Symbol("timed out");
/** Why a wait is cancelled that began before a reset of the mock. It never settles. */
const abandoned = Symbol("abandoned");
const never = Number.POSITIVE_INFINITY;
const notYet = Number.NEGATIVE_INFINITY;

/** How a wait is done within the SDK. */
interface Manner {
  /** When the job was accepted, if that was just now: its first poll is due at the pace of the plan, others at once. */
  acceptedAt?: number;
  scope?: CancelScope;
  /** Hears of each change of status. A failed job is then no error. */
  onChange?: (job: Job) => void;
}

/** All waits of a client. */
export class Waits {
  readonly #poller: Poller;
  readonly #present = new Set<CancelScope>();
  /** Which of the present waits for a job learns from it: the latest. */
  readonly #learners = new Map<string, CancelScope>();
  readonly #isReset: () => boolean;

  constructor(
    private readonly settings: Settings,
    private readonly log: Log,
    /** Shared by clients of the same service. */
    public memory: JobMemory,
    private readonly source: JobSource,
  ) {
    this.#poller = new Poller(settings, source);
    this.#isReset = resetWatch(settings.clock);
  }

  /** Each iteration is a separate wait. */
  watch(jobId: string, options: CheckedWaitOptions): AsyncIterable<Job> {
    const begin = (scope: CancelScope, onChange: (job: Job) => void) =>
      this.wait(jobId, options, { scope, onChange });
    return { [Symbol.asyncIterator]: () => watch(begin) };
  }

  /** Polls a job and pauses by turns, until it has succeeded. All times are the clock's. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the whole life of a wait is read in one place
  async wait(
    jobId: string,
    options: CheckedWaitOptions,
    { acceptedAt, scope = new CancelScope(), onChange }: Manner = {},
  ): Promise<SucceededJob> {
    const { signal, timeoutMs, delays } = options;
    this.#abandonIfReset();
    signal?.throwIfAborted();
    const { clock } = this.settings;
    const plan = this.memory.planFor(jobId);
    const createdAt = this.memory.acceptedAt(jobId);
    const startedAt = acceptedAt ?? clock.now();
    /** When the job began, as far as known. */
    const jobStartedAt = createdAt ?? startedAt;
    const deadline = startedAt + timeoutMs;
    const lastPollAt = deadline - Math.min(lastPollMs, timeoutMs / 10);
    /** The job as last seen, and why the last poll failed, if it did. */
    let job: Job | undefined;
    let failure: unknown;
    let polls = 0;
    let sentAt = notYet;
    /** When the job was last known to be unfinished; `never` if the next poll does not show how long jobs take. */
    let unfinishedAt = acceptedAt ?? never;

    /** When the next poll is due: as the service asked or as planned, and once more shortly before the deadline. */
    const nextPollAt = (from: number, askedUntil?: number): number => {
      if (sentAt >= lastPollAt) return never;
      const last = failure === undefined ? lastPollAt : Math.max(lastPollAt, askedUntil ?? notYet);
      if (askedUntil !== undefined) return Math.min(askedUntil, last);
      const pauseMs = plan.delayMs(from - jobStartedAt, drawJitter(), delays);
      const at = from + Math.max(pauseMs, shortestPauseMs);
      // The last poll takes the place of one that it would follow too soon.
      return at + delays.minDelayMs > last ? last : at;
    };

    // Cloudflare ties timers, promises and `fetch` to the request they were started for, so waits share nothing there:
    // https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
    const poller = onCloudflare() ? new Poller(this.settings, this.source) : this.#poller;
    this.#present.add(scope);
    this.#learners.set(jobId, scope);
    const removeListener = onAbort(signal, () => scope.cancel(signal?.reason));
    const cancelDeadline = after(clock, Math.max(deadline - clock.now(), 0), () => scope.cancel(timedOut));
    try {
      // Nothing is drawn before the first request for a bare id: Next.js rejects pages that draw random numbers before
      // they fetch data (https://nextjs.org/docs/messages/blocking-prerender-random).
      let dueAt = acceptedAt === undefined ? startedAt : nextPollAt(acceptedAt);
      const onSend = () => {
        polls++;
        // Timers may fire a fraction of a millisecond early.
        sentAt = Math.max(clock.now(), dueAt);
      };
      const poll = { jobId, options, lastPollAt, deadline, onSend };
      for (;;) {
        // Timers count in whole milliseconds and cut off the rest.
        const pauseMs = Math.ceil(dueAt - clock.now());
        if (pauseMs > 0) await scope.step<void>((resolve) => after(clock, pauseMs, resolve));
        const found = await scope.step<Found | undefined>((tell) => poller.poll(poll, tell));
        const endedAt = clock.now();
        this.#abandonIfReset();
        scope.throwIfCancelled();
        if (found === undefined) {
          dueAt = lastPollAt;
          continue;
        }

        const { askedUntil } = found;
        failure = found.failure;
        if (found.job) {
          const isChange = found.job.status !== job?.status;
          job = found.job;
          // Decided before `onUpdate` can change the job; and an end counts, whatever that aborts.
          const end = endOf(job);
          if (end) removeListener();
          if (end && this.#learners.get(jobId) === scope) {
            plan.learn(unfinishedAt - jobStartedAt, sentAt - jobStartedAt);
          }
          if (isChange) this.#tell(job, options, onChange);
          if (end === "failed" && !onChange) throw jobFailed(jobId, job as FailedJob);
          if (end) return job as SucceededJob;
          unfinishedAt = sentAt;
        } else {
          const isFinal = !this.source.passes(failure, endedAt - (createdAt ?? notYet));
          if (isFinal || (askedUntil ?? notYet) > deadline) throw failure;
        }
        // A poll at a time set by the service reveals that time, not how long jobs take.
        if (askedUntil !== undefined) unfinishedAt = never;
        dueAt = nextPollAt(endedAt, askedUntil);
      }
    } catch (error) {
      if (error === abandoned) return new Promise(() => {});
      if (error !== timedOut) throw error;
      throw jobTimedOut(jobId, { job, polls, elapsedMs: clock.now() - startedAt, cause: failure });
    } finally {
      cancelDeadline();
      removeListener();
      this.#present.delete(scope);
      if (this.#learners.get(jobId) === scope) this.#learners.delete(jobId);
    }
  }

  #tell(job: Job, { onUpdate }: CheckedWaitOptions, onChange: Manner["onChange"]): void {
    const onError = (error: unknown) => this.log.error("onUpdate threw", { jobId: job.id, error });
    if (onUpdate) runQuietly(() => onUpdate(job), onError);
    onChange?.(job);
  }

  /** Abandons the waits that began before the mock was last reset. */
  #abandonIfReset(): void {
    this.memory.forgetIfReset();
    if (!this.#isReset()) return;
    this.#learners.clear();
    for (const scope of this.#present) scope.cancel(abandoned);
  }
}
