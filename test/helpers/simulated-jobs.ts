import { LearnedPlan } from "../../src/learned-plan.js";

/** Jobs of some kind: how long the next one takes, in milliseconds, by numbers from 0 to 1 that are drawn at random. */
export type Durations = (random: () => number) => number;

/** About so many milliseconds: normally distributed, with a standard deviation of 5 %. */
export const about =
  (meanMs: number): Durations =>
  (random) =>
    meanMs * (1 + 0.05 * normal(random));

/** The durations that a schedule must cope with, none of which it is made for. */
export const distributions: Record<string, Durations> = {
  "about 2 s": about(2_000),
  "about 10 s": about(10_000),
  "about 60 s": about(60_000),
  "about 10 min": about(600_000),
  "lognormal with a median of 20 s": (random) => 20_000 * Math.exp(0.8 * normal(random)),
  "5 s or 120 s": (random) => about(random() < 0.5 ? 5_000 : 120_000)(random),
  "Pareto from 3 s": (random) => Math.min(3_000 * (1 - random()) ** (-1 / 1.2), 3_600_000),
};

/** What came of some jobs: the mean number of looks, and the mean lateness as a share of the duration. */
export interface Outcome {
  looks: number;
  lateness: number;
}

const delays = { minDelayMs: 200, maxDelayMs: 30_000 };
const roundTripMs = 100;

/** Somebody who looks at simulated jobs, one after the other, by a plan that learns from them. */
export function watcher(seed: number, plan = new LearnedPlan()) {
  const random = randomFrom(seed);

  function waitFor(durationMs: number): Outcome {
    let now = 0;
    let unfinishedAt = 0;
    for (let looks = 1; ; looks++) {
      const sentAt = now + plan.delayMs(now, 0.9 + 0.2 * random(), delays);
      now = sentAt + roundTripMs;
      if (durationMs <= sentAt + roundTripMs / 2) {
        plan.learn(unfinishedAt, sentAt);
        return { looks, lateness: (now - durationMs) / durationMs };
      }
      unfinishedAt = sentAt;
    }
  }

  return {
    plan,
    waitFor,
    /** Waits for so many jobs. */
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
    looks: sum(({ looks }) => looks) / outcomes.length,
    lateness: sum(({ lateness }) => lateness) / outcomes.length,
  };
}

export function geometricMean(numbers: number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Numbers from 0 to 1, the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
