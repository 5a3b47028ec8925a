import { randomFrom } from "./random.js";

type Random = () => number;

/** Returns how long the next job of some kind takes, in milliseconds, from random numbers between 0 and 1. */
export type Durations = (random: Random) => number;
/** The same for durations that also depend on the number of jobs before. */
export type ChangingDurations = (random: Random, job: number) => number;

const hourMs = 3_600_000;

/** Normally distributed, with a mean of 0 and a standard deviation of 1. */
const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const exponential = (random: Random) => -Math.log(1 - random());

/** Normally distributed around a mean in milliseconds, with a standard deviation of 5 %. */
export const about =
  (meanMs: number): Durations =>
  (random) =>
    meanMs * (1 + 0.05 * normal(random));

/** At most an hour, because nobody waits for longer. */
const lognormal =
  (medianMs: number, sigma: number): Durations =>
  (random) =>
    Math.min(medianMs * Math.exp(sigma * normal(random)), hourMs);
const uniform =
  (fromMs: number, toMs: number): Durations =>
  (random) =>
    fromMs + (toMs - fromMs) * random();
/** About `oneMs` for this share of the jobs, and about `otherMs` for the rest. */
export const mixed =
  (share: number, oneMs: number, otherMs: number): Durations =>
  (random) =>
    about(random() < share ? oneMs : otherMs)(random);

/** Distributions that a schedule must cope with, although it is made for none of them. */
export const distributions: Record<string, Durations> = {
  "about 2 s": about(2_000),
  "about 10 s": about(10_000),
  "about 60 s": about(60_000),
  "about 10 min": about(600_000),
  "lognormal, median 20 s, σ 0.8": lognormal(20_000, 0.8),
  "5 s or 120 s": mixed(0.5, 5_000, 120_000),
  "Pareto from 3 s, α 1.2, up to 1 h": (random) => Math.min(3_000 * (1 - random()) ** (-1 / 1.2), hourMs),
};

/** Distributions that are hard to learn: wide ones, rare durations, and changing ones. */
export const hardDistributions: Record<string, ChangingDurations> = {
  "lognormal, median 30 s, σ 1.5": lognormal(30_000, 1.5),
  "lognormal, median 10 s, σ 1.2": lognormal(10_000, 1.2),
  "exponential, mean 30 s, from 0.5 s": (random) => Math.max(30_000 * exponential(random), 500),
  "uniform from 1 s to 60 s": uniform(1_000, 60_000),
  "uniform from 20 s to 40 s": uniform(20_000, 40_000),
  "8 s and a queue of 10 s on average": (random) => 8_000 + 10_000 * exponential(random),
  "1 s for one in fifty, else 60 s": mixed(0.02, 1_000, 60_000),
  "0.5 s for one in ten, else 30 s": mixed(0.1, 500, 30_000),
  "10 min for one in twenty, else 10 s": mixed(0.05, 600_000, 10_000),
  "3 s, 30 s or 5 min": (random) => mixed(1 / 3, 3_000, random() < 0.5 ? 30_000 : 300_000)(random),
  "a drift from 10 s to 40 s in 200 jobs, and back": (random, job) =>
    about(10_000 * 4 ** (1 - Math.abs(1 - ((job / 200) % 2))))(random),
  "a daily cycle from 15 s to 45 s in 100 jobs": (random, job) =>
    about(26_000 * 3 ** (Math.sin((2 * Math.PI * job) / 100) / 2))(random),
  "10 s and 2 s by turns of 50 jobs": (random, job) => about(job % 100 < 50 ? 10_000 : 2_000)(random),
};

/** The first `count` durations of a distribution, the same for every contestant. */
export function durationsOf(name: string, count: number, seed = 1): number[] {
  const random = randomFrom(seed);
  const draw = distributions[name] ?? hardDistributions[name];
  if (draw === undefined) throw new Error(`There is no distribution ${name}.`);
  return Array.from({ length: count }, (_, job) => draw(random, job));
}
