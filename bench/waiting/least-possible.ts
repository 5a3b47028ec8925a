import { binCount, binStartMs } from "../../src/wait/learn/durations.js";
import { expectedCost } from "../../src/wait/learn/expected-cost.js";
import { placePolls } from "../../src/wait/learn/place-polls.js";
import { type ChangingDurations, distributions, hardDistributions } from "./durations.js";
import { mean, type Outcome } from "./outcome.js";
import { randomFrom } from "./random.js";

const longestGapMs = 30_000;
/** The number of jobs after which a changing distribution is evaluated again. */
const jobsApart = 10;

/**
 * The outcome of polls that are placed with the distribution known at each time and are at most 30 s apart: the best
 * one over several prices of lateness.
 */
export function leastPossible(fromJob: number, toJob: number): Outcome[] {
  return Object.entries({ ...distributions, ...hardDistributions }).map(([distribution, durations]) => {
    const shares = Array.from({ length: (toJob - fromJob) / jobsApart }, (_, index) =>
      sharesOf(durations, fromJob + index * jobsApart),
    );
    const outcomes = Array.from({ length: 13 }, (_, index) => outcomeAt(0.0001 * 1.8 ** index, shares));
    const [best] = outcomes.sort((one, other) => one.looks * one.lateness - other.looks * other.lateness);
    return { distribution, looks: best?.looks ?? Number.NaN, lateness: best?.lateness ?? Number.NaN };
  });
}

function outcomeAt(price: number, shares: Float64Array[]) {
  const costs = shares.map((share) =>
    expectedCost(
      share,
      placePolls(share, price, () => longestGapMs),
    ),
  );
  return {
    looks: mean(costs.map(({ polls }) => polls)),
    lateness: mean(costs.map(({ lateness }) => lateness)),
  };
}

/** The share of the jobs that ends in each bin. */
function sharesOf(durations: ChangingDurations, job: number): Float64Array {
  const random = randomFrom(1);
  const ends = Float64Array.from({ length: 20_000 }, () => durations(random, job)).sort();
  const shares = new Float64Array(binCount);
  let bin = 0;
  for (const end of ends) {
    while (bin < binCount - 1 && binStartMs(bin + 1) < end) bin++;
    shares[bin] = (shares[bin] as number) + 1 / ends.length;
  }
  return shares;
}
