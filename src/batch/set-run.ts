import type { SetState } from "../durable/set-state.js";
import { type SetClient, type Stepped, takeStep } from "../durable/step.js";
import { copyOf } from "../errors/copy-of.js";
import {
  AuthenticationError,
  ConfigurationError,
  JobFailedError,
  PaymentRequiredError,
  RateLimitError,
  ScreenshotSetsError,
} from "../errors/errors.js";
import { jobFailed } from "../errors/job-errors.js";
import { longestRefusedMs } from "../request/retry.js";
import { runQuietly } from "../secrets/log.js";
import type { CreateScreenshotsParams, Credits, Job } from "../types.js";
import type { Pace } from "../wait/pace.js";
import type { CheckedBatchOptions } from "./batch-options.js";
import type { Budget } from "./budget.js";
import type { FailedSet, SetOutcome, SkippedSet, WaitingSet } from "./set-outcome.js";
import { type StoredSet, storedSet } from "./stored-set.js";

/** What a set uses of its batch. */
export interface SetContext {
  client: SetClient;
  pace: Pace;
  options: CheckedBatchOptions;
  budget: Budget;
  /** Whether the account has no credits. */
  isOutOfCredits: boolean;
  /** Aborts when the batch starts nothing more. */
  signal: AbortSignal;
  /** Why no further set may be created now, if so. */
  reasonToSkip: SkippedSet["reason"] | undefined;
  /** Ends the batch. */
  fail(error: unknown): void;
}

/** How often a create is tried that does not reach the service. */
const mostUnsent = 3;

/** One set of a batch: its steps, until it has an outcome. */
export class SetRun {
  readonly #ended: StoredSet["ended"];
  #state: SetState | undefined;
  #status: string | undefined;
  #firstTriedAt: number | undefined;
  #unsent = 0;
  #storeHasFailed = false;

  constructor(
    private readonly key: string,
    private readonly params: CreateScreenshotsParams,
    stored: StoredSet | undefined,
    private readonly batch: SetContext,
  ) {
    this.#state = stored?.state;
    this.#ended = stored?.ended;
  }

  /** The outcome; `undefined` if the batch ended with the error of this set. */
  async outcome(): Promise<SetOutcome | undefined> {
    const { pace, signal, budget } = this.batch;
    if (this.#ended) return this.#endedAs(this.#ended);
    for (;;) {
      const next = await (this.#state ? this.#step() : budget.inTurn(() => this.#create()));
      if (typeof next !== "number") return next;
      // An abort ends the pause, and the next step then sends nothing.
      await pace.sleep(next, signal).catch(() => {});
    }
  }

  /** Sends the create, unless the batch sends no more. */
  async #create(): Promise<SetOutcome | number | undefined> {
    const reason = this.batch.reasonToSkip;
    if (reason) return { key: this.key, status: "skipped", reason };
    this.#firstTriedAt ??= this.batch.pace.now();
    return this.#step();
  }

  /** Takes one step. Resolves to the outcome, or to the delay before the next step. */
  async #step(): Promise<SetOutcome | number | undefined> {
    const { client, pace, signal } = this.batch;
    const { limits } = this.batch.options;
    if (this.#state?.step === "accepted" && signal.aborted) return this.#waiting();
    const before = this.#state;
    try {
      const save = (state: SetState | undefined) => this.#save(state);
      const step = { client, params: this.params, state: before, save, limits, pace, signal };
      const stepped = await takeStep(step);
      this.#report(stepped.job);
      if (stepped.status === "succeeded") return await this.#end({ status: "succeeded", job: stepped.job });
      return this.#next(stepped);
    } catch (error) {
      return this.#failed(error, before);
    }
  }

  async #save(state: SetState | undefined): Promise<void> {
    if (state?.step === "accepted") this.batch.budget.count(state);
    try {
      await this.batch.options.store.save(this.key, state ? storedSet(this.params, state) : null);
      this.#state = state;
    } catch (error) {
      this.#storeHasFailed = true;
      if (state?.step === "accepted") this.#state = state;
      throw error;
    }
  }

  /** The delay before the next step, or the outcome of a set that was refused for too long. */
  #next({ state, delayMs, failure }: Stepped & { status: "waiting" }): SetOutcome | number {
    const { pace, options } = this.batch;
    this.#state = state;
    if (state?.step === "accepted") {
      // One poll comes at the deadline, so that a job that ended in time is not missed.
      const leftMs = state.at + options.limits.timeoutMs - pace.now();
      // One that an earlier run paid for, longer ago than that, is waited for as long again.
      return leftMs > 0 || this.#firstTriedAt !== undefined
        ? Math.min(delayMs, Math.max(leftMs, 0))
        : delayMs;
    }
    if (!(failure instanceof RateLimitError)) this.#unsent++;
    const triedMs = pace.now() - (this.#firstTriedAt as number) + delayMs;
    const isTriedAgain = this.#unsent < mostUnsent && triedMs <= longestRefusedMs;
    return isTriedAgain ? delayMs : this.#refused(failure as ScreenshotSetsError);
  }

  async #failed(error: unknown, before: SetState | undefined): Promise<SetOutcome | undefined> {
    const { signal, budget } = this.batch;
    if (error instanceof JobFailedError) {
      this.#report(error.job);
      return this.#end({ status: "failed", job: error.job });
    }
    const known = error instanceof ScreenshotSetsError ? error : undefined;
    const endsBatch = error instanceof AuthenticationError || error instanceof ConfigurationError;
    if (this.#storeHasFailed || endsBatch || !(known || signal.aborted)) this.batch.fail(error);
    if (this.#state?.step === "accepted") return this.#waiting(known);
    if (known?.charged === "maybe") {
      if (before === undefined) budget.countUntold();
      return { key: this.key, status: "uncertain", error: known, charged: "maybe" };
    }
    if (this.#storeHasFailed || endsBatch || !known) return undefined;
    if (!(known instanceof PaymentRequiredError)) return this.#refused(known);
    this.batch.isOutOfCredits = true;
    return { key: this.key, status: "skipped", reason: "credits" };
  }

  /** Keeps how the job ended. If that fails, the next run looks at the job once more. */
  async #end(ended: NonNullable<StoredSet["ended"]>): Promise<SetOutcome> {
    const { options } = this.batch;
    try {
      await options.store.save(this.key, storedSet(this.params, this.#state as SetState, ended));
    } catch (error) {
      this.batch.fail(error);
    }
    return this.#endedAs(ended);
  }

  #endedAs(ended: NonNullable<StoredSet["ended"]>): SetOutcome {
    const paid = this.#paid();
    if (ended.status === "succeeded") return { key: this.key, status: "succeeded", job: ended.job, ...paid };
    const error = copyOf(jobFailed(paid.jobId, ended.job), { charged: "yes" });
    return { key: this.key, status: "failed", error, charged: "yes", ...paid };
  }

  #waiting(error?: ScreenshotSetsError): WaitingSet {
    return { key: this.key, status: "waiting", ...this.#paid(), ...(error && { error }) };
  }

  #refused(error: ScreenshotSetsError): FailedSet {
    return { key: this.key, status: "failed", error, charged: "no" };
  }

  #paid(): { jobId: string; credits: Credits } {
    // Only an acceptance whose answer lacked its credits has none.
    const { jobId, credits } = this.#state as { jobId: string; credits: Credits };
    return { jobId, credits };
  }

  #report(job: Job | undefined): void {
    const { pace, options } = this.batch;
    if (!job || job.status === this.#status) return;
    this.#status = job.status;
    runQuietly(
      () => options.onUpdate?.(this.key, job),
      (error) => pace.warn("onUpdate threw", { error }),
    );
  }
}
