/** How a job proceeds from acceptance to its end. */
export type Lifecycle =
  /** The job has ended by the first poll. */
  | "instant"
  /** The job keeps its state until `mock.jobs` moves it. */
  | "manual"
  /** The job is `queued`, then `running`, each for a given length. */
  | {
      /** How long the job is `queued`. */
      queued: number;
      /** How long the job is then `running`. */
      running: number;
      /** The unit of both: answered polls, or milliseconds on the mock's clock. */
      unit: "polls" | "ms";
    };

/** Everything that determines the state of a job besides the clock. */
export interface Course {
  lifecycle: Lifecycle;
  /** How the job ends unless it is ended otherwise by hand. */
  outcome: "succeeded" | "failed";
  /** All times are in milliseconds on the mock's clock. */
  acceptedAt: number;
  /** The number of answered polls, and the time of the last one. */
  polls: number;
  lastPollAt: number;
  /** When the job was moved to `running` by hand, and after how many polls. */
  moved?: { at: number; polls: number };
  /** How and when the job was ended by hand. */
  ended?: { outcome: "succeeded" | "failed"; at: number };
}

/** The statuses of the mock's jobs. A later document may list others. */
export const statuses = ["queued", "running", "succeeded", "failed"] as const satisfies State["status"][];

/** The state of a job, with the time of its end once it has ended. */
export type State = { status: "queued" | "running" } | { status: "succeeded" | "failed"; endedAt: number };

/** The state of a job at `now`. It is a pure function, so it is correct after a clock jump of any length. */
export function stateOf(course: Course, now: number): State {
  const { ended, outcome } = course;
  if (ended) return { status: ended.outcome, endedAt: ended.at };
  const { phase, endedAt } = plannedPhase(course, now);
  return phase === "end" ? { status: outcome, endedAt } : { status: phase };
}

function plannedPhase(course: Course, now: number): { phase: "queued" | "running" | "end"; endedAt: number } {
  const { lifecycle, acceptedAt, polls, lastPollAt, moved } = course;
  if (lifecycle === "manual") return { phase: moved ? "running" : "queued", endedAt: Number.NaN };
  if (lifecycle === "instant") return { phase: "end", endedAt: acceptedAt };
  const { running, unit } = lifecycle;
  const inMs = unit === "ms";
  // A job moved by hand is `running` from then on, for its usual length.
  const queued = moved ? 0 : lifecycle.queued;
  const beganAt = moved ? moved.at : acceptedAt;
  // The first poll finds a job in its first state, so a job without polls is in that state too.
  const passed = inMs ? now - beganAt : Math.max(polls - (moved?.polls ?? 0) - 1, 0);
  const phase = passed < queued ? "queued" : passed < queued + running ? "running" : "end";
  return { phase, endedAt: inMs ? beganAt + queued + running : Math.max(lastPollAt, beganAt) };
}
