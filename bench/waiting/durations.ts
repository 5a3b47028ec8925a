import { randomFrom } from "./random.js";

type Random = () => number;

/** Jobs of some kind: how long the next one takes, in milliseconds, by numbers from 0 to 1 that are drawn at random. */
export type Durations = (random: Random) => number;

/** Normally distributed, with a mean of 0 and a standard deviation of 1. */
const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** About so many milliseconds: normally distributed, with a standard deviation of 5 %. */
export const about =
  (meanMs: number): Durations =>
  (random) =>
    meanMs * (1 + 0.05 * normal(random));

/** The durations that a schedule must cope with, though it is made for none of them. */
export const distributions: Record<string, Durations> = {
  "about 2 s": about(2_000),
  "about 10 s": about(10_000),
  "about 60 s": about(60_000),
  "about 10 min": about(600_000),
  "lognormal, median 20 s, σ 0.8": (random) => 20_000 * Math.exp(0.8 * normal(random)),
  "5 s or 120 s": (random) => about(random() < 0.5 ? 5_000 : 120_000)(random),
  "Pareto from 3 s, α 1.2, up to 1 h": (random) => Math.min(3_000 * (1 - random()) ** (-1 / 1.2), 3_600_000),
};

/** So many durations of one of the distributions, the same ones for everybody. */
export function durationsOf(name: string, count: number, seed = 1): number[] {
  const random = randomFrom(seed);
  const draw = distributions[name];
  if (draw === undefined) throw new Error(`There is no distribution ${name}.`);
  return Array.from({ length: count }, () => draw(random));
}
