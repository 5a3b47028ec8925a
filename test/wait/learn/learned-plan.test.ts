import fc from "fast-check";
import { pollDelayMs } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import {
  about,
  type ChangingDurations,
  distributions,
  hardDistributions,
} from "../../../bench/waiting/durations.js";
import { geometricMean } from "../../../bench/waiting/outcome.js";
import { randomFrom } from "../../../bench/waiting/random.js";
import { LearnedPlan } from "../../../src/wait/learned-plan.js";
import { drawn } from "../../helpers/draws.js";
import { mean, watcher } from "./simulated-jobs.js";

const delays = { minDelayMs: 200, maxDelayMs: 30_000 };
const seeds = drawn([1, 2, 3, 4]);

describe("polls × lateness, as the geometric mean over seven distributions of durations,", () => {
  const product = (outcomeOf: (name: string, seed: number) => { polls: number; lateness: number }) =>
    geometricMean(
      Object.keys(distributions).map((name) => {
        const { polls, lateness } = mean(seeds.map((seed) => outcomeOf(name, seed)));
        return polls * lateness;
      }),
    );
  const durationsOf = (name: string) => distributions[name] as (typeof distributions)[string];

  test("is at most 1.15 for the first job of a client", () => {
    const first = (name: string, seed: number) =>
      mean(Array.from({ length: 100 }, (_, job) => watcher(1_000 * seed + job).see(durationsOf(name), 1)));
    expect(product(first)).toBeLessThan(1.15);
  });

  test("is at most 0.33 after a hundred jobs", () => {
    const later = (name: string, seed: number) => {
      const { see } = watcher(seed);
      see(durationsOf(name), 100);
      return see(durationsOf(name), 100);
    };
    expect(product(later)).toBeLessThan(0.33);
  });
});

/** So many jobs, by what is learned and as if nothing ever were: each draws the same jitter. */
function compared(durations: ChangingDurations, jobs: number, clients = seeds) {
  const outcomes = clients.map((seed) => {
    const random = randomFrom(7_919 * seed);
    const plan = new LearnedPlan();
    return Array.from({ length: jobs }, (_, job) => {
      const durationMs = durations(random, job);
      const waitWith = (plan: LearnedPlan) => watcher(65_537 * seed + job, plan).waitFor(durationMs);
      return { learned: waitWith(plan), unlearned: waitWith(new LearnedPlan()) };
    });
  });
  /** What learning makes of the jobs `from` one number to another, as shares of what comes without. */
  return (from: number, to: number) => {
    const compared = outcomes.flatMap((pairs) => pairs.slice(from, to));
    const learned = mean(compared.map(({ learned }) => learned));
    const unlearned = mean(compared.map(({ unlearned }) => unlearned));
    const lateness = learned.lateness / unlearned.lateness;
    return { lateness, product: (lateness * learned.polls) / unlearned.polls };
  };
}

describe("polls × lateness are in the long run at most 1.1 times what they are without learning", () => {
  test.each(Object.entries({ ...distributions, ...hardDistributions }))("for %s", (_, durations) => {
    expect(compared(durations, 300)(100, 300).product).toBeLessThanOrEqual(1.1);
  });

  test.each([100, 150, 190, 220, 250])("where the first unlearned poll finds jobs ended, of %d ms", (ms) => {
    const outcome = compared(() => ms, 60);
    expect(outcome(5, 20).product).toBeLessThanOrEqual(1);
    expect(outcome(20, 60).product).toBeLessThanOrEqual(1);
  });

  test("where few jobs among long ones are short, which first polls hide", () => {
    const rarelyShort = hardDistributions["1 s for one in fifty, else 60 s"] as ChangingDurations;
    expect(compared(rarelyShort, 300)(100, 300).product).toBeLessThan(0.7);
  });
});

describe("when jobs suddenly take another time,", () => {
  const changes = [3_000, 10_000, 60_000].flatMap((before) =>
    [1 / 10, 1 / 5, 1 / 3, 1 / 2, 2, 3, 5, 10].map(
      (factor) => [before, Math.round(factor * before)] as const,
    ),
  );

  test.each(drawn(changes))(
    "the first ten are at most four times as late as without learning, and later ones cost no more than without, from %d to %d ms",
    (before, after) => {
      const outcome = compared((random, job) => about(job < 100 ? before : after)(random), 150);
      expect(outcome(100, 110).lateness).toBeLessThan(4);
      expect(outcome(120, 150).product).toBeLessThanOrEqual(1.1);
    },
  );
});

describe("whatever was learned,", () => {
  const time = fc.oneof(fc.double({ min: 0, max: 1e7 }), fc.double(), fc.constantFrom(0, 1, 200, 1e9));
  const plans = fc.array(fc.tuple(time, time), { maxLength: 60 }).map((brackets) => {
    const plan = new LearnedPlan();
    for (const [unfinishedAt, finishedAt] of brackets) plan.learn(unfinishedAt, finishedAt);
    return plan;
  });
  const elapsed = fc.double({ min: 0, max: 1e7, noNaN: true });
  const jitter = fc.double({ min: 0.9, max: 1.1, noNaN: true });

  test.each(Object.entries(distributions))(
    "no delay is longer than about 5 times the one without learning at its end, for %s",
    (_, durations) => {
      const { see, plan } = watcher(1);
      see(durations, 100);
      for (let elapsedMs = 0; elapsedMs < 200_000; elapsedMs += 100) {
        const delayMs = plan.delayMs(elapsedMs, 1, delays);
        expect(delayMs).toBeLessThanOrEqual(5.15 * pollDelayMs(elapsedMs + delayMs));
      }
    },
  );

  test("a delay keeps to the limits of each wait", () => {
    fc.assert(
      fc.property(plans, elapsed, jitter, elapsed, elapsed, (plan, elapsedMs, jitter, one, other) => {
        const limits = { minDelayMs: Math.min(one, other), maxDelayMs: Math.max(one, other) };
        const delayMs = plan.delayMs(elapsedMs, jitter, limits);
        expect(delayMs).toBeGreaterThanOrEqual(limits.minDelayMs);
        expect(delayMs).toBeLessThanOrEqual(limits.maxDelayMs);
      }),
    );
  });
});

test("five jobs are too few to learn from, and eight that are alike are enough", () => {
  const plan = new LearnedPlan();
  for (let job = 0; job < 5; job++) plan.learn(9_000, 10_000);
  expect(plan.delayMs(0, 1, delays)).toBe(200);
  for (let job = 5; job < 8; job++) plan.learn(9_000, 10_000);
  expect(plan.delayMs(0, 1, delays)).toBeGreaterThan(1_000);
});

test("jobs that end at once are soon polled almost at once", () => {
  const { plan, waitFor, see } = watcher(1);
  see(about(10_000), 100);
  for (let job = 0; job < 40; job++) waitFor(1);
  expect(plan.delayMs(0, 1, delays)).toBeLessThan(400);
});

test("a job that outlasts all others is polled as if nothing had been learned", () => {
  const plan = new LearnedPlan();
  for (let job = 0; job < 20; job++) plan.learn(9_000, 10_000);
  expect(plan.delayMs(4_000_000, 1, delays)).toBe(30_000);
  expect(plan.delayMs(4_000_000, 1, { ...delays, maxDelayMs: 60_000 })).toBe(
    pollDelayMs(4_000_000, { maxDelayMs: 60_000 }),
  );
});

test("times that make no sense teach nothing", () => {
  const plan = new LearnedPlan();
  for (let job = 0; job < 16; job++) plan.learn(9_000, 10_000);
  const planned = () => [0, 1_000, 5_000, 9_000].map((elapsedMs) => plan.delayMs(elapsedMs, 1, delays));
  const before = planned();
  plan.learn(10, 5);
  plan.learn(-5, 10);
  plan.learn(Number.NaN, 10);
  plan.learn(0, Number.NaN);
  plan.learn(0, Number.POSITIVE_INFINITY);
  expect(planned()).toEqual(before);
});

test("times that are next to equal are taken in", () => {
  const plan = new LearnedPlan();
  for (let job = 0; job < 16; job++) plan.learn(10_000 * (1 - Number.EPSILON / 2), 10_000);
  expect(plan.delayMs(0, 1, delays)).toBeGreaterThan(1_000);
});

test("jitter moves a poll by its share of the delay without learning", () => {
  const plan = new LearnedPlan();
  expect(plan.delayMs(9_000, 1.1, delays)).toBeCloseTo(1.1 * pollDelayMs(9_000), 6);
  for (let job = 0; job < 16; job++) plan.learn(9_000, 10_000);
  const [usual, later] = [plan.delayMs(9_000, 1, delays), plan.delayMs(9_000, 1.1, delays)];
  expect(later - usual).toBeCloseTo(0.1 * pollDelayMs(9_000 + usual), 6);
});

test("an age below 0, as the clocks of two machines differ, counts as 0", () => {
  const plan = new LearnedPlan();
  expect(plan.delayMs(-1_000, 1, delays)).toBe(200);
  for (let job = 0; job < 16; job++) plan.learn(9_000, 10_000);
  expect(plan.delayMs(-1_000, 1, delays)).toBe(plan.delayMs(0, 1, delays));
});

test("widely spread durations are waited for little worse after a few jobs than without learning", () => {
  const spread = hardDistributions["lognormal, median 10 s, σ 1.2"] as ChangingDurations;
  const clients = Array.from({ length: 60 }, (_, seed) => 1 + seed);
  expect(compared(spread, 15, clients)(5, 15).product).toBeLessThan(1.12);
});
