import type { JobEnd } from "../../job-end.js";
import type { Lifecycle } from "../lifecycle.js";

/** The statuses of a recorded job before its end, in their order, how it ended, and what that was called. */
export interface RecordedProgress {
  before: readonly string[];
  outcome: JobEnd;
  end: string;
}

/** Everything that determines the state of a job besides the clock. */
export interface JobProgress {
  lifecycle: Lifecycle;
  recorded: RecordedProgress;
  /** How the job ends unless it is ended otherwise by hand. */
  outcome: JobEnd;
  /** All times are in milliseconds on the mock's clock. */
  acceptedAt: number;
  /** The number of answered polls, and the time of the last one. */
  polls: number;
  lastPollAt: number;
  /** The phase to which the job was moved by hand, when, and after how many polls. */
  moved?: { phase: number; at: number; polls: number };
  /** How and when the job was ended by hand. */
  ended?: { outcome: JobEnd; at: number };
}

/** The state of a job, with its outcome and the time of its end once it has ended. */
export type State = {
  status: string;
  /** The place of the status in the order of all that the job has. */
  phase: number;
} & ({ outcome?: undefined } | { outcome: JobEnd; endedAt: number });

/** Whether the job proceeds with polls, not with time. */
export function isInPolls(lifecycle: Lifecycle): boolean {
  return lifecycle === "recorded" || (typeof lifecycle === "object" && lifecycle.unit === "polls");
}

/** The state of a job at `now`. It is a pure function, so it is correct after a clock jump of any length. */
export function stateOf(progress: JobProgress, now: number): State {
  const { lifecycle, recorded, outcome, acceptedAt, polls, lastPollAt, ended } = progress;
  const phases = phasesOf(progress);
  const endAs = (outcome: JobEnd, endedAt: number): State => {
    const isRecorded = lifecycle === "recorded" && outcome === recorded.outcome;
    return { status: isRecorded ? recorded.end : outcome, phase: phases.length, outcome, endedAt };
  };
  if (ended) return endAs(ended.outcome, ended.at);
  // A job that was moved by hand is in that phase from then on, for its usual length.
  const { moved = { phase: 0, at: acceptedAt, polls: 0 } } = progress;
  const inPolls = isInPolls(lifecycle);
  // The first poll finds a job in its first phase, so a job without polls is in that phase too.
  const passed = inPolls ? Math.max(polls - moved.polls - 1, 0) : now - moved.at;
  let total = 0;
  for (const [index, { status, length }] of phases.slice(moved.phase).entries()) {
    total += length;
    if (passed < total) return { status, phase: moved.phase + index };
  }
  return endAs(outcome, inPolls ? Math.max(lastPollAt, moved.at) : moved.at + total);
}

/** The phases of a job before its end, each with its length in the unit of the lifecycle. */
export function phasesOf({ lifecycle, recorded }: Pick<JobProgress, "lifecycle" | "recorded">) {
  if (lifecycle === "instant") return [];
  if (lifecycle === "recorded") return recorded.before.map((status) => ({ status, length: 1 }));
  const forEver = Number.POSITIVE_INFINITY;
  const { queued, running } = lifecycle === "manual" ? { queued: forEver, running: forEver } : lifecycle;
  return [
    { status: "queued", length: queued },
    { status: "running", length: running },
  ];
}
