import type { paths } from "../../generated/openapi.js";
import { getJob } from "../../generated/operations.js";
import { completedValue } from "./completed-value.js";
import type { SlideContext } from "./default-slide.js";
import { type Course, stateOf } from "./lifecycle.js";

/** A job as the service shows it: `{ id, status, result, error }` (section 2 of the service's document). */
export type MockJob = paths["/public/v1/jobs/{id}"]["get"]["responses"][200]["content"]["application/json"];

/** An accepted job, in full. */
export interface JobRecord extends Course {
  id: string;
  appId: string;
  device: string;
  /** How many slides it will have. */
  count: number;
  keyId: string;
  error?: Record<string, unknown> | undefined;
  /** Given by the job's plan; otherwise they are guessed. */
  slides?: readonly unknown[] | undefined;
  /** The guessed ones, made when they are first shown, so that every look finds the same. */
  guessedSlides?: readonly unknown[] | undefined;
}

/** What an acceptance says about a job. */
export type Order = Omit<JobRecord, Exclude<keyof Course, "lifecycle" | "outcome">>;

type FailedRecord = JobRecord & { failedAt: number };

/** The jobs of one account. */
export interface JobStore {
  accept(order: Order, now: number): void;
  find(jobId: string): JobRecord | undefined;
  /** The job as it is now. */
  show(record: JobRecord): MockJob;
  /** Shows a job, which counts as a poll or not; undefined for an unknown one. */
  look(jobId: string, options: { isPoll: boolean }): { job: MockJob; record: JobRecord } | undefined;
  /** The jobs that have failed since this was last asked, in the order of their ends. */
  takeFailed(): FailedRecord[];
  clear(): void;
}

export function createJobStore(now: () => number, makeSlide: (slide: SlideContext) => unknown): JobStore {
  const records = new Map<string, JobRecord>();
  /** Jobs not yet known to have ended. */
  const open = new Set<JobRecord>();

  function show(record: JobRecord): MockJob {
    const { id, device, error = {} } = record;
    const { status } = stateOf(record, now());
    const result = status === "succeeded" ? { device, slides: slidesOf(record, makeSlide) } : null;
    const job = { id, status, result, error: status === "failed" ? error : null };
    return completedValue(getJob.answer(), job) as MockJob;
  }

  return {
    accept({ id, appId, device, count, keyId, lifecycle, outcome, error, slides }, acceptedAt) {
      // Named one by one: to copy whole objects would take a third of the time of an acceptance.
      const record: JobRecord = {
        id,
        appId,
        device,
        count,
        keyId,
        lifecycle,
        outcome,
        error,
        slides,
        acceptedAt,
        polls: 0,
        lastPollAt: acceptedAt,
        moved: undefined,
        ended: undefined,
      };
      records.set(id, record);
      open.add(record);
    },
    find: (jobId) => records.get(jobId),
    show,
    look(jobId, { isPoll }) {
      const record = records.get(jobId);
      if (!record) return undefined;
      // Polls after the end would move the time of the end.
      if (isPoll && !("endedAt" in stateOf(record, now()))) {
        record.polls++;
        record.lastPollAt = now();
      }
      return { job: show(record), record };
    },
    takeFailed() {
      const failed: FailedRecord[] = [];
      for (const record of open) {
        const state = stateOf(record, now());
        if (!("endedAt" in state)) continue;
        open.delete(record);
        if (state.status === "failed") failed.push({ ...record, failedAt: state.endedAt });
      }
      return failed.sort((one, other) => one.failedAt - other.failedAt);
    },
    clear() {
      records.clear();
      open.clear();
    },
  };
}

function slidesOf(record: JobRecord, makeSlide: (slide: SlideContext) => unknown): readonly unknown[] {
  const { slides, id, appId, device, count } = record;
  if (slides) return slides;
  record.guessedSlides ??= Array.from({ length: count }, (_, index) =>
    makeSlide({ index, count, device, jobId: id, appId }),
  );
  return record.guessedSlides;
}
