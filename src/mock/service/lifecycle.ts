/** How a job proceeds from acceptance to its end. */
export type Lifecycle =
  /** The first look finds the end. */
  | "instant"
  /** It stays as it is until `mock.jobs` moves it. */
  | "manual"
  /** How long it is `queued`, then `running`. */
  | {
      /** How long it waits. */
      queued: number;
      /** How long it is worked on. */
      running: number;
      /** What this is counted in: answered polls, or milliseconds of the mock's clock. */
      unit: "polls" | "ms";
    };

/** What decides the state of a job, besides the clock. */
export interface Course {
  lifecycle: Lifecycle;
  /** How the job ends if nobody ends it otherwise. */
  outcome: "succeeded" | "failed";
  /** Times in milliseconds of the mock's clock. */
  acceptedAt: number;
  /** Polls that were answered, and when the last of them was. */
  polls: number;
  lastPollAt: number;
  /** When it was moved to `running` by hand, and after how many polls. */
  moved?: { at: number; polls: number };
  /** How and when it was ended by hand. */
  ended?: { outcome: "succeeded" | "failed"; at: number };
}

/** The statuses of the mock's jobs. A document may come to list others. */
export const statuses = ["queued", "running", "succeeded", "failed"] as const satisfies State["status"][];

/** The state of a job, and since when if that is an end. */
export type State = { status: "queued" | "running" } | { status: "succeeded" | "failed"; endedAt: number };

/** The state of a job at `now`: a pure function, so that a jump of any length leaves no job half-way. */
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
  // Moved by hand, it runs from then on, for as long as it was to run.
  const queued = moved ? 0 : lifecycle.queued;
  const beganAt = moved ? moved.at : acceptedAt;
  // A look is what it finds: the first one is the job's first state, so an unseen job is in that state too.
  const passed = inMs ? now - beganAt : Math.max(polls - (moved?.polls ?? 0) - 1, 0);
  const phase = passed < queued ? "queued" : passed < queued + running ? "running" : "end";
  return { phase, endedAt: inMs ? beganAt + queued + running : Math.max(lastPollAt, beganAt) };
}
