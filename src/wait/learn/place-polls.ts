import { binCount, binStartMs } from "./durations.js";

/** When to poll a job. Polls are placed at the edges of bins, each of which has the number of the bin that it begins. */
export interface Polls {
  /** For each edge, the edge of the next poll. */
  next: Uint16Array;
  /** The edge at which the plan ends. */
  last: number;
  /** The fraction of jobs that end by each edge. */
  ended: Float32Array;
}

/** The approximate time from a poll to its answer. */
export const answerMs = 100;
/** A plan ends when only this fraction of jobs is still running. */
const beyondShare = 0.002;

/**
 * Places polls so that both their mean number and the mean lateness stay low, by dynamic programming from the last time
 * to the first: the best next poll minimises the lateness until then plus the cost of all polls and lateness after it.
 *
 * @param shares the probability that a job ends in each bin of a `Durations`
 * @param price what one more poll is worth: the lateness that it must save, as a fraction of the job's duration
 * @param longestGapMs the longest gap allowed before a poll at a given time
 */
export function placePolls(
  shares: Float64Array,
  price: number,
  longestGapMs: (timeMs: number) => number,
): Polls {
  // The sums up to each edge of the shares, and of the shares divided by the duration.
  const ended = new Float64Array(binCount + 1);
  const inverse = new Float64Array(binCount + 1);
  for (let bin = 0; bin < binCount; bin++) {
    const share = shares[bin] as number;
    ended[bin + 1] = (ended[bin] as number) + share;
    inverse[bin + 1] = (inverse[bin] as number) + (2 * share) / (binStartMs(bin) + binStartMs(bin + 1));
  }
  const enough = (1 - beyondShare) * (ended[binCount] as number);
  const last = ended.findIndex((share) => share >= enough);
  const longest = Float64Array.from({ length: last + 1 }, (_, edge) => longestGapMs(binStartMs(edge)));
  const next = new Uint16Array(last + 1);
  const cost = new Float64Array(last + 1);
  let best = last;
  for (let from = last - 1; from >= 0; from--) {
    let least = Number.POSITIVE_INFINITY;
    // The best next poll is never later than that of a later time, and the cost of what follows falls with time.
    for (let to = best; to > from && (cost[to] as number) < least; to--) {
      const time = binStartMs(to);
      if (to > from + 1 && time - binStartMs(from) > (longest[to] as number)) continue;
      // The sum over all jobs that end in between of (poll + answer − duration) / duration.
      const late =
        (time + answerMs) * ((inverse[to] as number) - (inverse[from] as number)) -
        ((ended[to] as number) - (ended[from] as number));
      if (late + (cost[to] as number) >= least) continue;
      least = late + (cost[to] as number);
      best = to;
    }
    const unended = (ended[last] as number) - (ended[from] as number);
    next[from] = best;
    cost[from] = price * unended + least;
  }
  return { next, last, ended: Float32Array.from(ended) };
}
