import { unlearnedDelayMs, usualDelays } from "../poll-delay.js";
import { binCount, binStartMs } from "./durations.js";
import { answerMs, type Polls } from "./place-polls.js";

/** What it is to wait for a job: the mean number of polls, and the mean lateness as a share of the duration. */
export interface Cost {
  polls: number;
  lateness: number;
}

/**
 * What waiting is expected to cost where durations have these `shares`.
 *
 * @param plan when polls come; beyond it, or without one, they come as if nothing had been learned
 */
export function expectedCost(shares: Float64Array, plan?: Polls): Cost {
  const cost = { polls: 0, lateness: 0 };
  let [polls, pollMs, place] = [0, 0, 0];
  for (let bin = 0; bin < binCount; bin++) {
    const share = shares[bin] as number;
    const durationMs = (binStartMs(bin) + binStartMs(bin + 1)) / 2;
    for (; pollMs < durationMs; polls++) {
      if (plan && place < plan.timesMs.length - 1) {
        place = plan.next[place] as number;
        pollMs = plan.timesMs[place] as number;
      } else pollMs += unlearnedDelayMs(pollMs, usualDelays);
    }
    cost.polls += share * polls;
    cost.lateness += (share * (pollMs + answerMs - durationMs)) / durationMs;
  }
  return cost;
}

/** Polls × lateness for jobs of which each of the costs stands for as many. */
export function product(costs: Cost[]): number {
  const sum = (read: (cost: Cost) => number) => costs.reduce((total, cost) => total + read(cost), 0);
  return (sum(({ polls }) => polls) * sum(({ lateness }) => lateness)) / costs.length ** 2;
}
