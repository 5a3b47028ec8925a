import { binCount, binStartMs } from "./durations.js";

/** When to poll a job: after each of the times, at which of them to poll next. */
export interface Polls {
  /** In milliseconds since the job began, ascending from 0. */
  timesMs: Float64Array;
  /** The place in `timesMs` of the poll that follows one at the same place here. */
  next: Uint16Array;
  /** The share of the jobs that ends by each of the times. */
  ended: Float32Array;
  /** What one poll more is worth: so much of a job's duration may it be seen earlier. */
  price: number;
}

/** What passes from a poll to its answer, about. */
export const answerMs = 100;
/** Times are told apart where more than this share of the jobs ends between them, */
const shareApart = 0.008;
/** or where they differ by this factor. */
const factorApart = 1.1;
/** A plan ends where only this share of the jobs goes on. */
const beyondShare = 0.002;

/**
 * Places polls where they keep both the mean number of polls and the mean lateness low, by dynamic programming from
 * the last time to the first: the best next poll is the one with the least sum of lateness until it and of what
 * polls and lateness after it cost.
 *
 * Polls × lateness is least where one per cent more of the one is worth one per cent less of the other. That price
 * follows from the plan as the plan follows from the price, so each plan starts from the price that the one before
 * came to, up to `mostPrice`.
 *
 * @param shares how likely a job is to end in each bin of a `Durations`
 * @param longestGapMs the longest gap that may end at a time
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
      // For each job that ends in between: (poll + answer − duration) / duration.
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

/** The times among which polls are placed, with the sums of the shares before each, and of shares by duration. */
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
