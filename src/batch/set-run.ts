import { createFound, createLost } from "../durable/interruptions.js";
import type { SetState } from "../durable/set-state.js";
import { type SetClient, type Stepped, takeStep } from "../durable/step.js";
import { copyOf } from "../errors/copy-of.js";
import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  CreateInterruptedError,
  JobFailedError,
  PaymentRequiredError,
  RateLimitError,
  ScreenshotSetsError,
  TimeoutError,
} from "../errors/errors.js";
import { jobFailed, jobTimedOut } from "../errors/job-errors.js";
import { longestRefusedMs } from "../request/retry.js";
import { runQuietly } from "../secrets/log.js";
import type { SetAccess } from "../set-access.js";
import type { CreateScreenshotsParams, Credits, Job } from "../types.js";
import type { CheckedBatchOptions } from "./batch-options.js";
import type { Creates } from "./creates.js";
import type {
  FailedSet,
  SetOutcome,
  SkippedSet,
  SucceededSet,
  UncertainSet,
  WaitingSet,
} from "./set-outcome.js";
import { causeOf, errorOf, type StoredSet, storedSet } from "./stored-set.js";

/**
 * Completes the parameters of a set when it is about to be ordered, such as by creating its app, or tells its outcome if
 * it can't be ordered. What it throws ends the batch.
 */
export type Complete = (
  key: string,
  params: CreateScreenshotsParams,
  creates: Creates,
  signal: AbortSignal,
) => Promise<CreateScreenshotsParams | SetOutcome>;

/** What a set uses of its batch. */
export interface SetContext {
  client: SetClient;
  access: SetAccess;
  options: CheckedBatchOptions;
  creates: Creates;
  complete: Complete | undefined;
  /** Aborts when the batch starts nothing more. */
  signal: AbortSignal;
  /** Ends the batch. */
  fail(error: unknown): void;
}

/** How often a create is tried that does not reach the service. */
const mostUnsent = 3;

/** One set of a batch: its steps, until it has an outcome. */
export class SetRun {
  /** What the store has. */
  readonly #stored: StoredSet | undefined;
  /** Whether the set is ordered once more, after an order that may have been charged. */
  readonly #isAgain: boolean;
  #params: CreateScreenshotsParams;
  #state: SetState | undefined;
  #status: string | undefined;
  /** When this run took up the set. */
  readonly #beganAt: number;
  #firstTriedAt: number | undefined;
  #unsent = 0;
  #storeHasFailed = false;

  constructor(
    private readonly key: string,
    params: CreateScreenshotsParams,
    stored: StoredSet | undefined,
    private readonly batch: SetContext,
  ) {
    this.#beganAt = batch.access.now();
    this.#params = params;
    this.#stored = stored;
    const isUnplanned = stored?.ended?.status === "failed" || stored?.state.step === "sending";
    this.#isAgain = isUnplanned && batch.options.again.has(key);
    this.#state = this.#isAgain ? undefined : stored?.state;
  }

  async outcome(): Promise<SetOutcome> {
    const { access, signal, creates } = this.batch;
    const known = this.#isAgain ? undefined : this.#known();
    if (known) return known;
    for (;;) {
      const next = await (this.#state ? this.#step() : creates.budget.inTurn(() => this.#create()));
      if (typeof next !== "number") return this.#isAgain ? this.#notAgain(next) : next;
      // An abort ends the pause, and the next step then sends nothing.
      await access.sleep(next, signal).catch(() => {});
    }
  }

  /** What the store knows of a set that needs nothing more. */
  #known(): FailedSet | UncertainSet | SucceededSet | undefined {
    const { ended, state, cause } = this.#stored ?? {};
    if (ended) return this.#endedAs(ended);
    if (state?.step !== "sending") return undefined;
    return this.#uncertain(cause ? createLost(errorOf(cause)) : createFound(state.at));
  }

  /** A set that was to be ordered once more, and was not, is left as it was, and says why. */
  #notAgain(outcome: SetOutcome): SetOutcome {
    const { status, charged, reason, error } = outcome;
    if (status !== "skipped" && charged !== "no") return outcome;
    this.#state = this.#stored?.state;
    const before = this.#known() as FailedSet | UncertainSet;
    return {
      ...before,
      ...(reason && { reason }),
      ...(error && { error: copyOf(error, { charged: before.charged }) }),
    } as FailedSet | UncertainSet;
  }

  /** Sends the create, unless the batch sends no more. */
  async #create(): Promise<SetOutcome | number> {
    const { creates, complete, access, signal } = this.batch;
    this.#firstTriedAt ??= access.now();
    if (complete && !creates.reasonToSkip) {
      try {
        const completed = await complete(this.key, this.#params, creates, signal);
        if ("status" in completed) return completed;
        this.#params = completed;
      } catch (error) {
        this.batch.fail(error);
      }
    }
    return this.#skipped(creates.reasonToSkip) ?? this.#step();
  }

  /** Takes one step. Resolves to the outcome, or to the delay before the next step. */
  async #step(): Promise<SetOutcome | number> {
    const { client, signal, options } = this.batch;
    if (this.#state?.step === "accepted" && signal.aborted) return this.#waiting();
    const isCreate = this.#state === undefined;
    try {
      const save = (state: SetState | undefined) => this.#save(state);
      const { limits } = options;
      const stepped = await takeStep({
        client,
        params: this.#params,
        state: this.#state,
        save,
        limits,
        signal,
      });
      this.#report(stepped.job);
      if (stepped.status === "succeeded") return await this.#end({ status: "succeeded", job: stepped.job });
      return this.#next(stepped, isCreate);
    } catch (error) {
      return this.#failed(error, isCreate);
    }
  }

  async #save(state: SetState | undefined): Promise<void> {
    // How often its job was polled helps no later run.
    const isLook = state?.step === "accepted" && this.#state?.step === "accepted";
    if (state?.step === "accepted" && !isLook) this.batch.creates.budget.count(state);
    try {
      if (!isLook) await this.#store(state ? this.#record(state) : this.#isAgain ? this.#stored : null);
      this.#state = state;
    } catch (error) {
      this.#storeHasFailed = true;
      if (state?.step === "accepted") this.#state = state;
      throw error;
    }
  }

  async #store(value: StoredSet | null | undefined): Promise<void> {
    await this.batch.options.store.save(this.key, value);
  }

  #record(state: SetState, more: Pick<StoredSet, "ended" | "cause"> = {}): StoredSet {
    const { baseUrl } = this.batch.access;
    const { earlier = [], state: before } = this.#stored ?? {};
    const all = this.#isAgain && before ? [...earlier, before] : earlier;
    return storedSet({
      baseUrl,
      params: this.#params,
      state,
      ...more,
      ...(all.length > 0 && { earlier: all }),
    });
  }

  /** The delay before the next step, or the outcome of a set that was refused for too long. */
  #next(
    { state, delayMs, job, failure }: Stepped & { status: "waiting" },
    isCreate: boolean,
  ): SetOutcome | number {
    const { access, options, creates } = this.batch;
    const isRefused = failure instanceof RateLimitError;
    if (isCreate && (isRefused || state)) creates.answered();
    if (state?.step === "accepted") {
      const { timeoutMs } = options.limits;
      const now = access.now();
      // One that an earlier run paid for, longer ago than that, is waited for as long again.
      const leftMs = (state.at + timeoutMs > this.#beganAt ? state.at : this.#beganAt) + timeoutMs - now;
      // One poll comes at the deadline, so that a job that ended in time is not missed.
      if (isCreate || leftMs > 0) return Math.min(delayMs, Math.max(leftMs, 0));
      const details = { job, polls: state.polls, elapsedMs: now - state.at, cause: failure };
      return this.#waiting(copyOf(jobTimedOut(state.jobId, details), { charged: "yes" }));
    }
    // A client that pauses, or a key that does not come, is waited for as long as a refusal.
    if (!isRefused && !(failure instanceof TimeoutError)) this.#unsent++;
    const triedMs = access.now() - (this.#firstTriedAt as number) + delayMs;
    const isTriedAgain = this.#unsent < mostUnsent && triedMs <= longestRefusedMs;
    return isTriedAgain ? delayMs : this.#refused(failure as ScreenshotSetsError);
  }

  async #failed(error: unknown, isCreate: boolean): Promise<SetOutcome> {
    const { creates, signal } = this.batch;
    if (error instanceof JobFailedError) {
      this.#report(error.job);
      return this.#end({ status: "failed", job: error.job });
    }
    const known = error instanceof ScreenshotSetsError ? error : undefined;
    const endsBatch = error instanceof AuthenticationError || error instanceof ConfigurationError;
    if (this.#storeHasFailed || endsBatch || !(known || signal.aborted)) this.batch.fail(error);
    if (this.#state?.step === "accepted") return this.#waiting(known);
    if (known?.charged === "maybe") {
      creates.budget.countUnpriced();
      creates.unclear();
      await this.#keepCause(known);
      return this.#uncertain(known);
    }
    if (isCreate && known instanceof ApiError) creates.answered();
    if (known instanceof PaymentRequiredError) creates.outOfCredits();
    const isUnrecorded = this.#storeHasFailed && !(known instanceof CreateInterruptedError);
    if (known && !isUnrecorded && !(known instanceof PaymentRequiredError)) return this.#refused(known);
    return this.#skipped(creates.reasonToSkip ?? "aborted") as SkippedSet;
  }

  /** Keeps why nobody knows whether the set was accepted. */
  async #keepCause(error: ScreenshotSetsError): Promise<void> {
    const cause = error.cause === undefined ? undefined : causeOf(error.cause);
    await this.#storeOrFail(this.#record(this.#state as SetState, { cause }));
  }

  /** Keeps how the job ended. If that fails, the next run looks at the job once more. */
  async #end(ended: NonNullable<StoredSet["ended"]>): Promise<SetOutcome> {
    await this.#storeOrFail(this.#record(this.#state as SetState, { ended }));
    return this.#endedAs(ended);
  }

  /** Stores what a later run could do without, for now. */
  async #storeOrFail(value: StoredSet): Promise<void> {
    await this.#store(value).catch((error) => this.batch.fail(error));
  }

  #endedAs(ended: NonNullable<StoredSet["ended"]>): SucceededSet | FailedSet {
    const paid = this.#paid();
    if (ended.status === "succeeded") return { key: this.key, status: "succeeded", job: ended.job, ...paid };
    const error = copyOf(jobFailed(paid.jobId, ended.job), { charged: "yes" });
    return { key: this.key, status: "failed", error, charged: "yes", ...paid };
  }

  #waiting(error?: ScreenshotSetsError): WaitingSet {
    return { key: this.key, status: "waiting", ...this.#paid(), ...(error && { error }) };
  }

  #uncertain(error: ScreenshotSetsError): UncertainSet {
    return { key: this.key, status: "uncertain", error, charged: "maybe" };
  }

  #refused(error: ScreenshotSetsError): FailedSet {
    return { key: this.key, status: "failed", error, charged: "no" };
  }

  #skipped(reason: SkippedSet["reason"] | undefined): SkippedSet | undefined {
    return reason && { key: this.key, status: "skipped", reason };
  }

  #paid(): { jobId: string; credits: Credits } {
    // Only an acceptance whose answer lacked its credits has none.
    const { jobId, credits } = this.#state as { jobId: string; credits: Credits };
    return { jobId, credits };
  }

  #report(job: Job | undefined): void {
    const { access, options } = this.batch;
    if (!job || job.status === this.#status) return;
    this.#status = job.status;
    runQuietly(
      () => options.onUpdate?.(this.key, job),
      (error) => access.log.error("onUpdate threw", { error }),
    );
  }
}
