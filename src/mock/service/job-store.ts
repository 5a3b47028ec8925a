import type { paths } from "../../generated/openapi.js";
import { getJob } from "../../generated/operations.js";
import type { JobEnd } from "../../job-end.js";
import { checkedValue } from "../read-mock-options.js";
import { completedAnswer } from "./completed-answer.js";
import type { Guesses } from "./guesses.js";
import { jobError } from "./job-plan.js";
import { type JobProgress, phasesOf, type State, stateOf } from "./job-progress.js";
import { plainCopy } from "./plain-copy.js";
import type { Sources } from "./sources.js";

/** A job as the service returns it: `{ id, status, result, error }`. */
export type MockJob = paths["/public/v1/jobs/{id}"]["get"]["responses"][200]["content"]["application/json"];

/** The jobs of an account. Reading one here is no poll. An unknown id throws, as does moving an ended job. */
export interface Jobs {
  /** The current job. With a lifecycle in polls, this is what the last poll found, unless it was moved since. */
  get(jobId: string): MockJob;
  /**
   * Moves a job on by one step: from `queued` to `running`, where it stays from then on for as long as its lifecycle
   * says, or from `running` to its planned end.
   */
  advance(jobId: string): void;
  /** Fails a job with this error or, by default, with that of its plan. */
  fail(jobId: string, error?: Record<string, unknown>): void;
  /** Completes a job with its slides. */
  succeed(jobId: string): void;
}

/** Everything the mock knows about an accepted job. */
export interface JobRecord extends JobProgress {
  id: string;
  /** The job's place in the order of all accounts. */
  sequence: number;
  appId: string;
  device: string;
  /** The number of slides of its result. */
  count: number;
  keyId: string;
  error?: Record<string, unknown> | undefined;
  /** The slides from the job's plan. */
  slides?: readonly unknown[] | undefined;
  /** Slides that no plan gives, kept from the first time they are shown so that every poll returns the same. */
  ownSlides?: readonly unknown[] | undefined;
}

/** The jobs of one account, for the service and for code that moves them by hand. */
export class JobStore implements Jobs {
  readonly #now: () => number;
  readonly #guesses: Guesses;
  /** In the order of acceptance. */
  readonly #records = new Map<string, JobRecord>();
  /** Jobs not yet known to have ended. */
  readonly #open = new Set<JobRecord>();

  constructor(now: () => number, guesses: Guesses) {
    this.#now = now;
    this.#guesses = guesses;
  }

  add(record: JobRecord): void {
    this.#records.set(record.id, record);
    this.#open.add(record);
  }

  /** All jobs, oldest first. */
  get all(): readonly JobRecord[] {
    return [...this.#records.values()];
  }

  find(jobId: string): JobRecord | undefined {
    return this.#records.get(jobId);
  }

  /** The current state of a job. */
  stateOf(record: JobRecord): State {
    return stateOf(record, this.#now());
  }

  /** Reads a job and counts this as a poll if `isPoll`; undefined for an unknown job. */
  read(jobId: string, { isPoll }: { isPoll: boolean }) {
    const record = this.#records.get(jobId);
    if (!record) return undefined;
    // Counting a poll after the end would move the time of the end.
    if (isPoll && !this.stateOf(record).outcome) {
      record.polls++;
      record.lastPollAt = this.#now();
    }
    return { job: this.#show(record), record };
  }

  /** What an answer with this job rests on. */
  sourcesOf(record: JobRecord): Sources {
    const { outcome } = this.stateOf(record);
    if (outcome === "succeeded" && !record.slides) return this.#guesses.slides.sources;
    return {
      guesses: outcome === "failed" && this.#guesses.refundFailedJobs ? ["refundFailedJobs"] : [],
      recorded: this.#hasRecordedError(record) ? ["jobError"] : [],
    };
  }

  /** The jobs that have failed since the last call, in the order in which they ended. */
  takeFailed(): (JobRecord & { failedAt: number })[] {
    const failed = [];
    for (const record of this.#open) {
      const state = this.stateOf(record);
      if (!state.outcome) continue;
      this.#open.delete(record);
      if (state.outcome === "failed") failed.push({ ...record, failedAt: state.endedAt });
    }
    return failed.sort((one, other) => one.failedAt - other.failedAt);
  }

  reset(): void {
    this.#records.clear();
    this.#open.clear();
  }

  readonly get = (jobId: string): MockJob => plainCopy(this.#show(this.#known(jobId, "find")));

  readonly advance = (jobId: string): void => {
    const { record, state } = this.#unended(jobId, "advance");
    const phase = state.phase + 1;
    if (phase < phasesOf(record).length) record.moved = { phase, at: this.#now(), polls: record.polls };
    else this.#end(record, record.outcome);
  };

  readonly fail = (jobId: string, error?: Record<string, unknown>): void => {
    const { record } = this.#unended(jobId, "fail");
    record.error = plainCopy(checkedValue("error", error, jobError)) ?? record.error;
    this.#end(record, "failed");
  };

  readonly succeed = (jobId: string): void => this.#end(this.#unended(jobId, "complete").record, "succeeded");

  #show(record: JobRecord): MockJob {
    const { id, device, error } = record;
    const { status, outcome } = this.stateOf(record);
    const result = outcome === "succeeded" ? { device, slides: this.#slidesOf(record) } : null;
    const job = { id, status, result, error: outcome === "failed" ? (error ?? {}) : null };
    const completed = completedAnswer(getJob.name, job) as MockJob;
    if (!this.#hasRecordedError(record)) return completed;
    // A document may describe no error.
    return Object.assign({ ...completed }, { error: this.#guesses.set.error }) as MockJob;
  }

  #hasRecordedError(record: JobRecord): boolean {
    const isFailed = this.stateOf(record).outcome === "failed";
    return isFailed && record.error === undefined && this.#guesses.set.error !== undefined;
  }

  #slidesOf(record: JobRecord): readonly unknown[] {
    const { slides, id, appId, device, count } = record;
    if (slides) return slides;
    record.ownSlides ??= this.#guesses.slides.of({ count, device, jobId: id, appId });
    return record.ownSlides;
  }

  #known(jobId: string, action: string): JobRecord {
    const record = this.#records.get(jobId);
    if (record) return record;
    throw new Error(
      `Failed to ${action} the job ${jobId}: the account has accepted no such job. ` +
        "Please pass the jobId of an acceptance.",
    );
  }

  #unended(jobId: string, action: string): { record: JobRecord; state: State } {
    const record = this.#known(jobId, action);
    const state = this.stateOf(record);
    if (!state.outcome) return { record, state };
    throw new Error(
      `Failed to ${action} the job ${jobId}: it has ${state.status} already. ` +
        'Please use the "manual" lifecycle for jobs that are moved by hand.',
    );
  }

  #end(record: JobRecord, outcome: JobEnd): void {
    record.ended = { outcome, at: this.#now() };
  }
}
