import type { paths } from "../../generated/openapi.js";
import { getJob } from "../../generated/operations.js";
import { completedAnswer } from "./completed-value.js";
import type { SlideContext } from "./guesses.js";
import { checkJobError } from "./job-plan.js";
import { type Course, type State, stateOf } from "./lifecycle.js";
import { plainCopy } from "./plain-copy.js";

/** A job as the service shows it: `{ id, status, result, error }`. */
export type MockJob = paths["/public/v1/jobs/{id}"]["get"]["responses"][200]["content"]["application/json"];

/** The jobs of an account. Looking at one here is no poll. An unknown id throws, and so does moving an ended job. */
export interface Jobs {
  /** The job as the last poll found it, or as it is now where its lifecycle runs on time. */
  get(jobId: string): MockJob;
  /**
   * Moves a job on by one step: to `running`, where it stays for as long as its lifecycle says from then on, and then to
   * the end that was planned for it.
   */
  advance(jobId: string): void;
  /** Ends a job with this error, or with its plan's. */
  fail(jobId: string, error?: Record<string, unknown>): void;
  /** Ends a job with its slides. */
  succeed(jobId: string): void;
}

/** An accepted job, in full. */
export interface JobRecord extends Course {
  id: string;
  /** Its place among the jobs of all accounts. */
  turn: number;
  appId: string;
  device: string;
  /** How many slides it will have. */
  count: number;
  keyId: string;
  error?: Record<string, unknown> | undefined;
  /** Given by the job's plan; otherwise they are guessed. */
  slides?: readonly unknown[] | undefined;
  /** The guessed ones, made when they are first shown, so that every poll finds the same. */
  guessedSlides?: readonly unknown[] | undefined;
}

/** The jobs of one account, for the service and for whoever moves them by hand. */
export class JobStore implements Jobs {
  readonly #now: () => number;
  readonly #makeSlide: (slide: SlideContext) => unknown;
  readonly #records = new Map<string, JobRecord>();
  /** In the order in which they were accepted. */
  #all: JobRecord[] = [];
  /** Jobs not yet known to have ended. */
  readonly #open = new Set<JobRecord>();

  constructor(now: () => number, makeSlide: (slide: SlideContext) => unknown) {
    this.#now = now;
    this.#makeSlide = makeSlide;
  }

  add(record: JobRecord): void {
    this.#records.set(record.id, record);
    this.#all.push(record);
    this.#open.add(record);
  }

  /** All jobs, the oldest first. */
  get all(): readonly JobRecord[] {
    return this.#all;
  }

  find(jobId: string): JobRecord | undefined {
    return this.#records.get(jobId);
  }

  stateOf(record: JobRecord): State {
    return stateOf(record, this.#now());
  }

  /** Shows a job to a caller, which counts as a poll or not; undefined for an unknown one. */
  read(jobId: string, { isPoll }: { isPoll: boolean }): { job: MockJob; record: JobRecord } | undefined {
    const record = this.#records.get(jobId);
    if (!record) return undefined;
    // Polls after the end would move the time of the end.
    if (isPoll && !("endedAt" in stateOf(record, this.#now()))) {
      record.polls++;
      record.lastPollAt = this.#now();
    }
    return { job: this.#show(record), record };
  }

  /** The jobs that have failed since this was last asked, in the order of their ends. */
  takeFailed(): (JobRecord & { failedAt: number })[] {
    const failed = [];
    for (const record of this.#open) {
      const state = stateOf(record, this.#now());
      if (!("endedAt" in state)) continue;
      this.#open.delete(record);
      if (state.status === "failed") failed.push({ ...record, failedAt: state.endedAt });
    }
    return failed.sort((one, other) => one.failedAt - other.failedAt);
  }

  reset(): void {
    this.#records.clear();
    this.#all = [];
    this.#open.clear();
  }

  readonly get = (jobId: string): MockJob => plainCopy(this.#show(this.#known(jobId, "find")));

  readonly advance = (jobId: string): void => {
    const { record, state } = this.#unended(jobId, "advance");
    if (state.status === "queued") record.moved = { at: this.#now(), polls: record.polls };
    else this.#end(record, record.outcome);
  };

  readonly fail = (jobId: string, error?: Record<string, unknown>): void => {
    const { record } = this.#unended(jobId, "fail");
    checkJobError(error);
    record.error = plainCopy(error) ?? record.error;
    this.#end(record, "failed");
  };

  readonly succeed = (jobId: string): void => this.#end(this.#unended(jobId, "complete").record, "succeeded");

  #show(record: JobRecord): MockJob {
    const { id, device, error = {} } = record;
    const { status } = stateOf(record, this.#now());
    const result = status === "succeeded" ? { device, slides: this.#slidesOf(record) } : null;
    const job = { id, status, result, error: status === "failed" ? error : null };
    return completedAnswer(getJob.name, job) as MockJob;
  }

  #slidesOf(record: JobRecord): readonly unknown[] {
    const { slides, id, appId, device, count } = record;
    if (slides) return slides;
    record.guessedSlides ??= Array.from({ length: count }, (_, index) =>
      this.#makeSlide({ index, count, device, jobId: id, appId }),
    );
    return record.guessedSlides;
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
    const state = stateOf(record, this.#now());
    if (!("endedAt" in state)) return { record, state };
    throw new Error(
      `Failed to ${action} the job ${jobId}: it has ${state.status} already. ` +
        'Please use the "manual" lifecycle for jobs that are moved by hand.',
    );
  }

  #end(record: JobRecord, outcome: "succeeded" | "failed"): void {
    record.ended = { outcome, at: this.#now() };
  }
}
