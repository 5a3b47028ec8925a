import { unlearnedDelayMs, usualDelays } from "../poll-delay.js";
import { binCount, binStartMs } from "./durations.js";
import { answerMs, type Polls } from "./place-polls.js";

/** The cost of waiting for a job: the mean number of polls, and the mean lateness as a fraction of the duration. */
export interface Cost {
  polls: number;
  lateness: number;
}

/**
 * The expected cost of waiting for jobs whose durations have the distribution `shares`.
 *
 * @param plan when polls are sent; after its end, or without it, they follow the unlearned delays
 */
export function expectedCost(shares: Float64Array, plan?: Polls): Cost {
  const cost = { polls: 0, lateness: 0 };
  let [polls, pollMs, edge] = [0, 0, 0];
  for (let bin = 0; bin < binCount; bin++) {
    const share = shares[bin] as number;
    const durationMs = (binStartMs(bin) + binStartMs(bin + 1)) / 2;
    for (; pollMs < durationMs; polls++) {
      if (plan && edge < plan.last) {
        edge = plan.next[edge] as number;
        pollMs = binStartMs(edge);
      } else pollMs += unlearnedDelayMs(pollMs, usualDelays);
    }
    cost.polls += share * polls;
    cost.lateness += (share * (pollMs + answerMs - durationMs)) / durationMs;
  }
  return cost;
}
