/**
 * The times that are told apart: from the shortest usual pause between two polls to an hour, each a hundredth longer
 * than the one before. Polls of jobs that run even longer are as far apart as they may be anyway.
 */
const firstEdgeMs = 200;
const lastEdgeMs = 3_600_000;
const step = 1.01;
/** How many bins there are. */
export const binCount = Math.ceil(Math.log(lastEdgeMs / firstEdgeMs) / Math.log(step)) + 1;

/** Where a bin of durations begins, in milliseconds; the one before ends there. */
export function binStartMs(bin: number): number {
  return bin === 0 ? 0 : firstEdgeMs * step ** (bin - 1);
}

/** What a duration still counts for after one more job: about the last fifty jobs are remembered. */
const keptPerJob = 0.98;
/** How strongly a duration is taken to lie near the later end of what is known of it; 1 is not at all. */
const usualLean = 8;
/** How many bins to each side a duration is blurred over: jobs of one sort differ by some per cent. */
const blurBins = 3;
/** The same, as long as few jobs were seen: a handful says roughly how long others take, and no more. */
const wideBlurBins = 40;
/** How many jobs must have been seen until they weigh more than that. */
const fewJobs = 3;

/** How long jobs took, as far as polls can tell: a histogram that fades, of a fixed size. */
export class Durations {
  readonly #weights = new Float64Array(binCount);
  #total = 0;
  #jobs = 0;
  /** How many jobs in a row had ended by the first poll. */
  #missed = 0;

  /** How many jobs were ever added. */
  get jobs(): number {
    return this.#jobs;
  }

  /**
   * Remembers a job that was unfinished at one time and finished at another, both in milliseconds since it began.
   * Nothing is remembered of times that make no sense.
   *
   * The duration lies in between, and is taken to lie near the end: polls go where ends are likely, so that most
   * ends were only just waited for, and the middle would attract polls to where no job ends. But each further job in
   * a row that had ended by the first poll makes it less sure that they ended only then: jobs may have become shorter.
   */
  add(unfinishedAtMs: number, finishedAtMs: number): void {
    if (!(unfinishedAtMs >= 0 && unfinishedAtMs < finishedAtMs && finishedAtMs < Number.POSITIVE_INFINITY))
      return;
    const weights = this.#weights;
    for (let bin = 0; bin < binCount; bin++) weights[bin] = keptPerJob * (weights[bin] as number);
    this.#total = keptPerJob * this.#total + 1;
    this.#jobs++;
    this.#missed = unfinishedAtMs < finishedAtMs / 10 ? this.#missed + 1 : 0;
    const lean = Math.max(usualLean / 2 ** Math.max(this.#missed - 1, 0), 1);
    const never = (unfinishedAtMs / finishedAtMs) ** lean;
    const possible = Math.max(1 - never, Number.EPSILON);
    let left = 1;
    for (let bin = binOf(finishedAtMs); left > 0; bin--) {
      const below = (binStartMs(bin) / finishedAtMs) ** lean;
      const share = Math.min(left, Math.max(0, (below - never) / possible));
      weights[bin] = (weights[bin] as number) + left - share;
      left = share;
    }
  }

  /**
   * How likely a job is to end in each bin. The shares add up to 1, less what blurring moves past the ends.
   *
   * @param expected what to expect as long as few jobs were seen; else these few are blurred the more
   */
  shares(expected?: Float64Array | undefined): Float64Array {
    const shares = blurred(blurred(this.#weights, blurBins), blurBins);
    const wide = expected ?? blurred(blurred(shares, wideBlurBins), wideBlurBins);
    const total = Math.max(this.#total, 1);
    const few = fewJobs / (fewJobs + this.#total);
    const seenScale = (1 - few) / total;
    const wideScale = expected ? few : few / total;
    for (let bin = 0; bin < binCount; bin++) {
      shares[bin] = seenScale * (shares[bin] as number) + wideScale * (wide[bin] as number);
    }
    return shares;
  }
}

/** The bin that a duration lies in; what is longer than all counts to the last one. */
function binOf(ms: number): number {
  if (ms <= firstEdgeMs) return 0;
  return Math.min(Math.ceil(Math.log(ms / firstEdgeMs) / Math.log(step)), binCount - 1);
}

/** Each bin becomes the mean of itself and so many neighbours to each side. */
function blurred(weights: Float64Array, neighbours: number): Float64Array {
  const result = new Float64Array(binCount);
  const width = 2 * neighbours + 1;
  let sum = 0;
  for (let newest = 0; newest < binCount + neighbours; newest++) {
    if (newest < binCount) sum += weights[newest] as number;
    if (newest >= width) sum -= weights[newest - width] as number;
    if (newest >= neighbours) result[newest - neighbours] = sum > 0 ? sum / width : 0;
  }
  return result;
}
