import type { Durations } from "../../../bench/waiting/durations.js";
import { randomFrom } from "../../../bench/waiting/random.js";
import { LearnedPlan } from "../../../src/wait/learned-plan.js";

/** The outcome of some jobs: the mean number of polls, and the mean lateness as a fraction of the duration. */
export interface Outcome {
  polls: number;
  lateness: number;
}

const delays = { minDelayMs: 200, maxDelayMs: 30_000 };
const roundTripMs = 100;

/** Polls simulated jobs one after another, with a plan that learns from them. */
export function watcher(seed: number, plan = new LearnedPlan()) {
  const random = randomFrom(seed);

  function waitFor(durationMs: number): Outcome {
    let now = 0;
    let unfinishedAt = 0;
    for (let polls = 1; ; polls++) {
      const sentAt = now + plan.delayMs(now, 0.9 + 0.2 * random(), delays);
      now = sentAt + roundTripMs;
      if (durationMs <= sentAt + roundTripMs / 2) {
        plan.learn(unfinishedAt, sentAt);
        return { polls, lateness: (now - durationMs) / durationMs };
      }
      unfinishedAt = sentAt;
    }
  }

  return {
    plan,
    waitFor,
    /** Waits for this many jobs. */
    see(durations: Durations, jobs: number): Outcome {
      const outcomes = Array.from({ length: jobs }, () => waitFor(durations(random)));
      return mean(outcomes);
    },
  };
}

export function mean(outcomes: Outcome[]): Outcome {
  const sum = (pick: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + pick(outcome), 0);
  return {
    polls: sum(({ polls }) => polls) / outcomes.length,
    lateness: sum(({ lateness }) => lateness) / outcomes.length,
  };
}
