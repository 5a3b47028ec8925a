import { recordAge } from "../durable/record-age.js";
import type { SetRecord } from "../durable/set-record.js";
import type { AcceptedSet, SetState } from "../durable/set-state.js";
import type { EndedStep, Stepped } from "../durable/step.js";
import { endIn, leftInFlightMs, takeStep } from "../durable/take-step.js";
import { copyOf } from "../errors/copy-of.js";
import {
  AuthenticationError,
  CreateInterruptedError,
  JobFailedError,
  ScreenshotSetsError,
} from "../errors/errors.js";
import { jobTimedOut } from "../errors/job-errors.js";
import { runQuietly } from "../secrets/log.js";
import type { SetAccess } from "../set-access.js";
import { isReasonOf } from "../time/abortable.js";
import type { CreateScreenshotsParams, Job } from "../types.js";
import type { CheckedBatchOptions } from "./batch-options.js";
import type { Creates } from "./creates.js";
import {
  type FailedSet,
  outcomeOf,
  type SetOutcome,
  standingOf,
  type UncertainSet,
  waitingOutcome,
} from "./set-outcome.js";
import { Tries } from "./tries.js";

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
  access: SetAccess;
  options: CheckedBatchOptions;
  creates: Creates;
  complete: Complete | undefined;
  /** When the run began, on the client's clock. */
  beganAt: number;
  /** Aborts when the batch starts nothing more. */
  signal: AbortSignal;
  /** Ends the batch. */
  fail(error: unknown): void;
}

/** One set of a batch: its steps, until it has an outcome. */
export class SetRun {
  /** Whether the order that was found when the batch began is to be repeated. */
  #mayRepeat: boolean;
  /** Whether another process may have changed the record. */
  #isStale = false;
  /** Until when the set is waited for, on the client's clock. */
  #deadline: number | undefined;
  /** The job, as this run saw it last. */
  #job: Job | undefined;
  #tries: Tries | undefined;

  /** @param record as it is when the batch begins */
  constructor(
    private readonly key: string,
    readonly record: SetRecord,
    private readonly batch: SetContext,
  ) {
    this.#mayRepeat = batch.options.again.has(key) && isRepeatable(record.state, batch);
  }

  async outcome(): Promise<SetOutcome> {
    for (;;) {
      const next = await this.#runUntilDelay().catch((error: unknown) => this.#outcomeAfter(error));
      if (typeof next !== "number") return this.record.repeated ? this.#orAsFound(next) : next;
      // An abort ends the pause, and the next step then sends nothing.
      await this.batch.access.clock.sleep(next, this.batch.signal).catch(() => {});
    }
  }

  /** Resolves to the outcome, or to the delay before the next step. */
  async #runUntilDelay(): Promise<SetOutcome | number> {
    const { creates, signal } = this.batch;
    if (this.#isStale) await this.record.load();
    this.#isStale = false;
    const { state } = this.record;
    if (state === undefined) return creates.budget.inTurn(() => this.#orderUnlessStopped());
    if (!signal.aborted) return this.#takeOneStep();
    return state.step === "accepted" ? waitingOutcome(this.key, state) : this.#endOrRepeat(endIn(state));
  }

  async #orderUnlessStopped(): Promise<SetOutcome | number> {
    const { creates, complete, access, signal } = this.batch;
    const { order } = this.record;
    if (complete && !creates.reasonToSkip) {
      const completed = await complete(this.key, order.params, creates, signal);
      if ("status" in completed) return completed;
      order.params = completed;
    }
    this.#tries ??= new Tries(access.clock);
    const reason = creates.reasonToSkip;
    return reason ? { key: this.key, status: "skipped", reason } : this.#takeOneStep();
  }

  async #takeOneStep(): Promise<SetOutcome | number> {
    const { access, signal, options, creates } = this.batch;
    const { order, state } = this.record;
    const isCreate = state === undefined;
    const stepped = await takeStep({
      access,
      key: this.key,
      params: order.params,
      state,
      save: (next, previous) => this.#save(next, previous),
      limits: options.limits,
      signal,
      isAlone: !options.store.shared,
      longestUnsentMs: recordAge.longestUnsentInBatchMs,
    });
    this.#report(stepped.error instanceof JobFailedError ? stepped.error.job : stepped.job);
    if (isCreate && stepped.state?.step === "accepted") creates.accepted();
    if (stepped.status === "waiting")
      return stepped.state?.step === "accepted"
        ? this.#afterLook(stepped, stepped.state, isCreate)
        : this.#afterNoCharge(stepped);
    if (stepped.charged === "no") return creates.refused(this.key, stepped.error);
    // No job ends in the step that creates it.
    if (isCreate) {
      creates.budget.countUncertain();
      creates.unclear();
    }
    return this.#endOrRepeat(stepped);
  }

  /** The outcome of an order that has ended, unless it is repeated. */
  #endOrRepeat(ended: EndedStep): SetOutcome | Promise<SetOutcome | number> {
    if (!this.#mayRepeat) return outcomeOf(this.key, ended);
    this.#mayRepeat = false;
    this.record.repeat();
    return this.#runUntilDelay();
  }

  async #save(next: SetState | undefined, previous: SetState | undefined): Promise<unknown> {
    // How often its job was polled helps no later run.
    if (next?.step === "accepted" && previous?.step === "accepted") return this.record.passOver(next);
    if (next?.step === "accepted") this.batch.creates.budget.count(next);
    return this.record.save(next, previous);
  }

  /** The delay before the next look at a job, or the outcome of a set that is not waited for any longer. */
  #afterLook(
    { delayMs, error, isTransient }: Stepped & { status: "waiting" },
    state: AcceptedSet,
    isCreate: boolean,
  ): SetOutcome | number {
    const { access, fail, options } = this.batch;
    if (!isTransient) {
      if (error instanceof AuthenticationError) fail(error);
      return waitingOutcome(this.key, state, error);
    }
    this.#deadline ??= this.#deadlineOf(state);
    const leftMs = this.#deadline - access.clock.now();
    // One poll comes at the deadline, so that a job that ended in time is not missed.
    if (isCreate || leftMs > 0) return Math.min(delayMs, Math.max(leftMs, 0));
    const elapsedMs = Math.max(access.now() - state.at, options.timeoutMs);
    const details = { job: this.#job, polls: state.polls, elapsedMs, cause: error };
    const timedOut = jobTimedOut(state.jobId, details, state.status);
    return waitingOutcome(this.key, state, copyOf(timedOut, { charged: "yes" }));
  }

  /** The delay before a set is ordered, after a step that charged nothing, or its outcome if it is not tried any longer. */
  #afterNoCharge({ delayMs, error, isTransient }: Stepped & { status: "waiting" }): SetOutcome | number {
    this.#isStale = error === undefined;
    if (error === undefined) return delayMs;
    const isTriedAgain = isTransient && this.#tries?.mayRetry(error, delayMs);
    return isTriedAgain ? delayMs : this.batch.creates.refused(this.key, error);
  }

  /** From the acceptance, or from the beginning of the run where that was too long ago or lies ahead. */
  #deadlineOf({ at }: AcceptedSet): number {
    const { access, options, beganAt } = this.batch;
    const elapsedMs = access.now() - at;
    const isUseful = elapsedMs >= 0 && elapsedMs < options.timeoutMs;
    return options.timeoutMs + (isUseful ? access.clock.now() - elapsedMs : beganAt);
  }

  /** The outcome of a step that has thrown: only an abort ends this set alone. */
  #outcomeAfter(error: unknown): SetOutcome {
    const { signal, creates, fail } = this.batch;
    if (!isReasonOf(signal, error)) fail(error);
    const { state } = this.record;
    const known = error instanceof ScreenshotSetsError ? error : undefined;
    if (known && state?.step === "accepted") return waitingOutcome(this.key, state, known);
    if (state) return standingOf(this.key, state);
    if (known instanceof CreateInterruptedError) return creates.refused(this.key, known);
    return { key: this.key, status: "skipped", reason: "aborted" };
  }

  /** A set that was to be ordered once more, and was not, stays as it was found, and says why. */
  #orAsFound(outcome: SetOutcome): SetOutcome {
    const { status, charged, reason, error } = outcome;
    if (status !== "skipped" && charged !== "no") return outcome;
    const found = standingOf(this.key, this.record.repeated as SetState) as FailedSet | UncertainSet;
    return {
      ...found,
      ...(reason && { reason }),
      ...(error && { error: copyOf(error, { charged: found.charged }) }),
    } as FailedSet | UncertainSet;
  }

  #report(job: Job | undefined): void {
    const { access, options } = this.batch;
    if (!job) return;
    const isChange = job.status !== this.#job?.status;
    this.#job = job;
    if (!isChange) return;
    runQuietly(
      () => options.onUpdate?.(this.key, job),
      (error) => access.log.error("onUpdate threw", { error }),
    );
  }
}

/** Whether `again` repeats an order: one that is uncertain, or that failed and was charged, but none that is in flight. */
function isRepeatable(state: SetState | undefined, { access, options }: SetContext): boolean {
  if (state === undefined || state.step === "accepted") return false;
  // Under the lock of a file, nothing is in flight when a batch begins.
  if (state.step === "sending") return !options.store.shared || !(leftInFlightMs(state, access) > 0);
  return endIn(state).status !== "succeeded";
}
