import { binCount, binStartMs } from "./durations.js";

/** When to poll a job: for each time of a poll, the time of the next one. */
export interface Polls {
  /** Candidate times in milliseconds since the job started, ascending from 0. */
  timesMs: Float64Array;
  /** For each index of `timesMs`, the index of the next poll. */
  next: Uint16Array;
  /** The fraction of jobs that end by each of the times. */
  ended: Float32Array;
  /** What one more poll is worth: the lateness that it must save, as a fraction of the job's duration. */
  price: number;
}

/** The approximate time from a poll to its answer. */
export const answerMs = 100;
/** Two candidate times are kept apart if more than this fraction of jobs end between them, */
const shareApart = 0.008;
/** or if they differ by this factor. */
const factorApart = 1.1;
/** A plan ends when only this fraction of jobs is still running. */
const beyondShare = 0.002;

/**
 * Places polls so that both their mean number and the mean lateness stay low, by dynamic programming from the last time
 * to the first: the best next poll minimises the lateness until then plus the cost of all polls and lateness after it.
 *
 * Polls × lateness is minimal when one per cent more of the one saves one per cent of the other. That price depends on
 * the plan and the plan on the price, so each plan starts from the price that the previous one arrived at, up to
 * `mostPrice`.
 *
 * @param shares the probability that a job ends in each bin of a `Durations`
 * @param longestGapMs the longest gap allowed before a poll at a given time
 */
export function placePolls(
  shares: Float64Array,
  price: number,
  mostPrice: number,
  longestGapMs: (timeMs: number) => number,
): Polls {
  const { timesMs, ended, inverse } = candidates(shares, longestGapMs);
  const longest = timesMs.map(longestGapMs);
  const last = timesMs.length - 1;
  const next = new Uint16Array(last + 1);
  const polls = new Float64Array(last + 1);
  const cost = new Float64Array(last + 1);
  for (let from = last - 1; from >= 0; from--) {
    let best = from + 1;
    let least = Number.POSITIVE_INFINITY;
    for (let to = from + 1; to <= last; to++) {
      const time = timesMs[to] as number;
      const gap = time - (timesMs[from] as number);
      if (gap > (longest[to] as number) && least < Number.POSITIVE_INFINITY) break;
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
    polls[from] = unended + (polls[best] as number);
    cost[from] = price * unended + least;
  }
  const meanPolls = polls[0] as number;
  const meanLateness = (cost[0] as number) - price * meanPolls;
  return {
    timesMs,
    next,
    ended: Float32Array.from(ended),
    price: Math.min(meanLateness / meanPolls, mostPrice),
  };
}

/** The candidate times, with the sums up to each of them of the shares, and of the shares divided by the duration. */
function candidates(shares: Float64Array, longestGapMs: (timeMs: number) => number) {
  const timesMs = [0];
  const ended = [0];
  const inverse = [0];
  let last = 0;
  let endedAtLast = 0;
  let endedNow = 0;
  let inverseNow = 0;
  const enough = (1 - beyondShare) * shares.reduce((sum, share) => sum + share, 0);
  for (let bin = 0; bin < shares.length && endedAtLast < enough; bin++) {
    const share = shares[bin] as number;
    const time = binStartMs(bin + 1);
    endedNow += share;
    inverseNow += (2 * share) / (binStartMs(bin) + time);
    const endedThen = endedNow + (shares[bin + 1] ?? 0);
    const timeThen = bin + 2 > binCount ? Number.POSITIVE_INFINITY : binStartMs(bin + 2);
    const isApart =
      endedNow >= enough ||
      endedThen - endedAtLast > shareApart ||
      timeThen > last * factorApart ||
      timeThen - last > longestGapMs(last) / 2;
    if (!isApart) continue;
    timesMs.push(time);
    ended.push(endedNow);
    inverse.push(inverseNow);
    last = time;
    endedAtLast = endedNow;
  }
  return { timesMs: Float64Array.from(timesMs), ended, inverse };
}
