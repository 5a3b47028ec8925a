import { isSame } from "../durable/is-same.js";
import { recordAge } from "../durable/record-age.js";
import type { AcceptedSet, SetState } from "../durable/set-state.js";
import { checkOrder, SetRecord, type SetStore, storedIn } from "../durable/set-store.js";
import { type EndedStep, endIn, type SetClient, type Stepped, takeStep } from "../durable/step.js";
import { copyOf } from "../errors/copy-of.js";
import {
  AuthenticationError,
  CreateInterruptedError,
  JobFailedError,
  RateLimitError,
  ScreenshotSetsError,
  TimeoutError,
} from "../errors/errors.js";
import { jobTimedOut } from "../errors/job-errors.js";
import { longestRefusedMs } from "../request/retry.js";
import { runQuietly } from "../secrets/log.js";
import type { SetAccess } from "../set-access.js";
import { isReasonOf } from "../time/abortable.js";
import type { CreateScreenshotsParams, Credits, Job } from "../types.js";
import type { CheckedBatchOptions } from "./batch-options.js";
import type { Creates } from "./creates.js";
import type { FailedSet, SetOutcome, SkippedSet, UncertainSet, WaitingSet } from "./set-outcome.js";

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

/** How a set stands by its record alone. */
export function standingOf(key: string, state: SetState): SetOutcome {
  return state.step === "accepted" ? waitingSet(key, state) : outcomeOf(key, endIn(state));
}

/** How often a create is tried that does not reach the service. */
const mostUnsent = 3;

/** One set of a batch: its steps, until it has an outcome. */
export class SetRun {
  readonly #store: SetStore;
  /** What the store has. */
  #found: unknown;
  #record: SetRecord;
  #state: SetState | undefined;
  /** What the store has. It lacks the polls that found the job unfinished. */
  #savedState: SetState | undefined;
  /** Whether the order that this run found is to be repeated, should it have failed or be uncertain. */
  #mayBeAgain: boolean;
  /** Whether it is being repeated. */
  #isAgain = false;
  /** Whether another process may have changed what the store has. */
  #isStale = false;
  /** Until when the set is waited for, on the client's clock. */
  #deadline: number | undefined;
  #status: string | undefined;
  #firstTriedAt: number | undefined;
  #unsent = 0;

  constructor(
    private readonly key: string,
    private params: CreateScreenshotsParams,
    found: unknown,
    private readonly batch: SetContext,
  ) {
    this.#store = batch.options.store;
    this.#found = found;
    this.#record = this.#take();
    this.#mayBeAgain = batch.options.again.has(key) && this.#state !== undefined;
  }

  async outcome(): Promise<SetOutcome> {
    for (;;) {
      const next = await this.#next().catch((error: unknown) => this.#broken(error));
      if (typeof next !== "number") return this.#isAgain ? this.#leftAsFound(next) : next;
      // An abort ends the pause, and the next step then sends nothing.
      await this.batch.access.clock.sleep(next, this.batch.signal).catch(() => {});
    }
  }

  /** Resolves to the outcome, or to the delay before the next step. */
  async #next(): Promise<SetOutcome | number> {
    const { creates, signal } = this.batch;
    if (this.#isStale) await this.#reload();
    if (this.#state === undefined) return creates.budget.inTurn(() => this.#order());
    if (!signal.aborted) return this.#step();
    return this.#state.step === "accepted" ? this.#waiting() : this.#end(endIn(this.#state));
  }

  /** Orders the set, unless the batch sends no more creates. */
  async #order(): Promise<SetOutcome | number> {
    const { creates, complete, access, signal } = this.batch;
    this.#firstTriedAt ??= access.clock.now();
    if (complete && !creates.reasonToSkip) {
      const completed = await complete(this.key, this.params, creates, signal);
      if ("status" in completed) return completed;
      this.params = completed;
      this.#record = this.#take();
    }
    const reason = creates.reasonToSkip;
    return reason ? this.#skipped(reason) : this.#step();
  }

  async #step(): Promise<SetOutcome | number> {
    const { client, signal, options, creates } = this.batch;
    const before = this.#state?.step;
    const isCreate = before === undefined;
    const stepped = await takeStep({
      ...{ client, key: this.key, params: this.params, state: this.#state, limits: options.limits, signal },
      save: (next, previous) => this.#save(next, previous),
      isAlone: !this.#store.shared,
      longestUnsentMs: recordAge.longestUnsentInBatchMs,
    });
    this.#state = stepped.state;
    this.#report(stepped.error instanceof JobFailedError ? stepped.error.job : stepped.job);
    if (isCreate && stepped.state?.step === "accepted") creates.accepted();
    if (stepped.status === "waiting") return this.#wait(stepped, isCreate);
    if (stepped.charged === "no") return creates.refused(this.key, stepped.error);
    if (isCreate && stepped.status === "uncertain") {
      creates.budget.countUncertain();
      creates.unclear();
    }
    // `again` repeats only what an earlier run has left.
    return isCreate || before === "accepted" ? outcomeOf(this.key, stepped) : this.#end(stepped);
  }

  /** The outcome of an order that was found ended or uncertain, unless it is repeated. */
  #end(found: EndedStep): SetOutcome | Promise<SetOutcome | number> {
    if (found.status === "succeeded" || !this.#mayBeAgain) return outcomeOf(this.key, found);
    this.#isAgain = true;
    this.#record = this.#take();
    return this.#next();
  }

  async #save(next: SetState | undefined, previous: SetState | undefined): Promise<unknown> {
    const isAccepted = next?.step === "accepted";
    // How often its job was polled helps no later run.
    if (isAccepted && previous?.step === "accepted") return true;
    if (isAccepted) {
      this.#state = next;
      this.#savedState = next;
      this.batch.creates.budget.countAccepted(next);
    }
    return this.#record.save(next, previous?.step === "accepted" ? this.#savedState : previous);
  }

  /** The delay before the next step, or the outcome of a set that is not waited for any longer. */
  #wait(
    { state, delayMs, job, error, isTransient }: Stepped & { status: "waiting" },
    isCreate: boolean,
  ): SetOutcome | number {
    const { access, creates, fail, options } = this.batch;
    if (state?.step === "accepted") {
      if (!isTransient) {
        if (error instanceof AuthenticationError) fail(error);
        return this.#waiting(error);
      }
      this.#deadline ??= this.#deadlineOf(state);
      const leftMs = this.#deadline - access.clock.now();
      // One poll comes at the deadline, so that a job that ended in time is not missed.
      if (isCreate || leftMs > 0) return Math.min(delayMs, Math.max(leftMs, 0));
      const elapsedMs = Math.max(access.now() - state.at, options.timeoutMs);
      const details = { job, polls: state.polls, elapsedMs, cause: error };
      return this.#waiting(copyOf(jobTimedOut(state.jobId, details), { charged: "yes" }));
    }

    this.#isStale = error === undefined;
    if (error === undefined) return delayMs;
    if (!isTransient) return creates.refused(this.key, error);
    // A key that does not come is waited for as long as a refusal.
    if (!(error instanceof RateLimitError || error instanceof TimeoutError)) this.#unsent++;
    const triedMs = access.clock.now() - (this.#firstTriedAt as number) + delayMs;
    const isTriedAgain = this.#unsent < mostUnsent && triedMs <= longestRefusedMs;
    return isTriedAgain ? delayMs : creates.refused(this.key, error);
  }

  /** From the acceptance, or from now where that was too long ago or lies ahead. */
  #deadlineOf({ at }: AcceptedSet): number {
    const { access, options } = this.batch;
    const elapsedMs = access.now() - at;
    const isUseful = elapsedMs >= 0 && elapsedMs < options.timeoutMs;
    return access.clock.now() + options.timeoutMs - (isUseful ? elapsedMs : 0);
  }

  /** The outcome of a step that has thrown: only an abort ends this set alone. */
  #broken(error: unknown): SetOutcome {
    const { signal, creates, fail } = this.batch;
    if (!isReasonOf(signal, error)) fail(error);
    const known = error instanceof ScreenshotSetsError ? error : undefined;
    if (known && this.#state?.step === "accepted") return this.#waiting(known);
    if (this.#state) return standingOf(this.key, this.#state);
    if (known instanceof CreateInterruptedError) return creates.refused(this.key, known);
    return this.#skipped("aborted");
  }

  #take(): SetRecord {
    const { access } = this.batch;
    const order = { baseUrl: access.baseUrl, params: this.params };
    const record = new SetRecord(this.#store, this.key, this.#found, order, this.#isAgain);
    this.#state = record.state;
    this.#savedState = record.state;
    return record;
  }

  /** Reads what another process may have saved. */
  async #reload(): Promise<void> {
    const { baseUrl } = this.batch.access;
    const found = await this.#store.load(this.key);
    const [before, now] = [this.#found, found].map((value) => storedIn(this.key, value));
    if (now) checkOrder(this.key, now, { baseUrl, params: this.params });
    const isUnchanged = isSame(found, this.#found);
    // What another process did with the order that was found, or ordered in its place, is not repeated.
    const isStillUnknown = now?.state?.step === "uncertain" && now.state.at === before?.state?.at;
    this.#mayBeAgain &&= isUnchanged || isStillUnknown;
    this.#isAgain &&= isUnchanged;
    this.#found = found;
    this.#record = this.#take();
    this.#isStale = false;
  }

  /** A set that was to be ordered once more, and was not, is left as it was, and says why. */
  #leftAsFound(outcome: SetOutcome): SetOutcome {
    const { status, charged, reason, error } = outcome;
    if (status !== "skipped" && charged !== "no") return outcome;
    const before = storedIn(this.key, this.#found)?.state as Exclude<SetState, AcceptedSet>;
    const found = outcomeOf(this.key, endIn(before)) as FailedSet | UncertainSet;
    return {
      ...found,
      ...(reason && { reason }),
      ...(error && { error: copyOf(error, { charged: found.charged }) }),
    } as FailedSet | UncertainSet;
  }

  #waiting(error?: ScreenshotSetsError): WaitingSet {
    return { ...waitingSet(this.key, this.#state as AcceptedSet), ...(error && { error }) };
  }

  #skipped(reason: SkippedSet["reason"]): SkippedSet {
    return { key: this.key, status: "skipped", reason };
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

function outcomeOf(key: string, stepped: EndedStep): SetOutcome {
  const { state: _, ...outcome } = stepped;
  return { key, ...outcome };
}

function waitingSet(key: string, { jobId, credits }: AcceptedSet): WaitingSet {
  // Only an acceptance whose answer lacked its credits has none.
  return { key, status: "waiting", jobId, credits: credits as Credits };
}
