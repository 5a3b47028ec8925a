import { checkJobError } from "./job-plan.js";
import type { JobRecord, MockJob } from "./job-store.js";
import { type State, stateOf } from "./lifecycle.js";

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

/** What moving jobs takes of those who keep them. */
interface Keeper {
  now(): number;
  find(jobId: string): JobRecord | undefined;
  show(record: JobRecord): MockJob;
}

export function createJobs({ now, find, show }: Keeper): Jobs {
  function known(jobId: string, action: string): JobRecord {
    const record = find(jobId);
    if (record) return record;
    throw new Error(
      `Failed to ${action} the job ${jobId}: the account has accepted no such job. ` +
        "Please pass the jobId of an acceptance.",
    );
  }

  function unended(jobId: string, action: string): { record: JobRecord; state: State } {
    const record = known(jobId, action);
    const state = stateOf(record, now());
    if (!("endedAt" in state)) return { record, state };
    throw new Error(
      `Failed to ${action} the job ${jobId}: it has ${state.status} already. ` +
        'Please use the "manual" lifecycle for jobs that are moved by hand.',
    );
  }

  function end(record: JobRecord, outcome: "succeeded" | "failed") {
    record.ended = { outcome, at: now() };
  }

  return {
    get: (jobId) => show(known(jobId, "find")),
    advance(jobId) {
      const { record, state } = unended(jobId, "advance");
      if (state.status === "queued") record.moved = { at: now(), polls: record.polls };
      else end(record, record.outcome);
    },
    fail(jobId, error) {
      const { record } = unended(jobId, "fail");
      checkJobError(error);
      record.error = error ?? record.error;
      end(record, "failed");
    },
    succeed(jobId) {
      end(unended(jobId, "complete").record, "succeeded");
    },
  };
}
