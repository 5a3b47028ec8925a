/**
 * The edges of the bins of durations: from the shortest usual pause between two polls to an hour, each 1 % longer than
 * the one before. For jobs that run even longer, polls are as far apart as allowed anyway.
 */
const firstEdgeMs = 200;
const lastEdgeMs = 3_600_000;
const step = 1.01;
/** The number of bins. */
export const binCount = Math.ceil(Math.log(lastEdgeMs / firstEdgeMs) / Math.log(step)) + 1;

/** The lower edge of a bin in milliseconds, which is also the upper edge of the bin before. */
export const binStartMs = (bin: number): number => binStartsMs[bin] as number;

const binStartsMs = Float64Array.from({ length: binCount + 1 }, (_, bin) =>
  bin === 0 ? 0 : firstEdgeMs * step ** (bin - 1),
);

/** How many jobs are remembered of each kind. */
const mostJobs = 120;
/** The factor by which a job's weight decreases with each job after it. */
const keptPerJob = 0.985;
/** The radius of the blur in bins: durations of jobs of the same kind differ by a few per cent. */
const blurBins = 3;
/** The radius while few jobs were seen, which tell only roughly how long others take. */
const wideBlurBins = 40;
/** From this many jobs on, the narrow blur weighs more than the wide one. */
const fewJobs = 3;
/** The number of rounds of expectation maximisation. */
const rounds = 12;
/** The weight of all unseen durations together, in jobs: it matters only where nothing else is known. */
const unseenJobs = 0.01;

/** The first and the last bin in which a job may have ended. */
type Job = [first: number, last: number];
type WeightedJob = [...Job, weight: number];

/** The durations of the latest jobs, each as the interval between two polls in which the job ended. */
export class Durations {
  /** Newest first. */
  readonly #latest: Job[] = [];
  /** How many jobs have been added in total. Changed only here. */
  jobs = 0;

  /**
   * Adds a job that was unfinished at one time and finished at another, both in milliseconds since its start.
   *
   * @returns false for times that make no sense, which are ignored
   */
  add(unfinishedAtMs: number, finishedAtMs: number): boolean {
    if (!(unfinishedAtMs >= 0 && unfinishedAtMs < finishedAtMs && finishedAtMs < Number.POSITIVE_INFINITY))
      return false;
    const last = binOf(finishedAtMs);
    this.jobs++;
    this.#latest.unshift([unfinishedAtMs === 0 ? 0 : Math.min(binOf(unfinishedAtMs) + 1, last), last]);
    this.#latest.splice(mostJobs);
    return true;
  }

  /** Forgets all but the latest `jobs` jobs. */
  keepOnly(jobs: number): void {
    this.#latest.splice(jobs);
  }

  /**
   * The probability that a job ends in each bin. The sum is 1, less what blurring moves past the ends.
   *
   * @param expected the distribution to fall back on while few jobs were seen; by default, a wider blur of these
   * @param half 0 or 1 to use only that half of the jobs
   */
  shares(expected?: Float64Array, half?: number): Float64Array {
    const jobs = this.#latest
      .map(([first, last], age): WeightedJob => [first, last, keptPerJob ** age])
      .filter((_, age) => half === undefined || half === halfOf((this.jobs - 1 - age) % mostJobs));
    const total = jobs.reduce((sum, [, , weight]) => sum + weight, 0);
    let shares: Float64Array = new Float64Array(binCount).fill(1 / binCount);
    for (let round = 1; round <= rounds; round++) {
      const neighbours = Math.max(blurBins, Math.round(wideBlurBins / 2 ** round));
      shares = blurred(blurred(likelier(shares, jobs), neighbours), neighbours);
    }
    const scale = 1 / Math.max(total + unseenJobs, 1);
    const own = shares.map((share) => scale * share);
    const others = expected ?? blurred(blurred(own, wideBlurBins), wideBlurBins);
    const few = fewJobs / (fewJobs + total);
    return own.map((share, bin) => (1 - few) * share + few * (others[bin] as number));
  }
}

/**
 * One round of expectation maximisation, smoothed as by Silverman and others in 1990. Each job is spread over the bins
 * in which it may have ended, in proportion to the previous estimate, so jobs whose ends are known precisely show where
 * the ends of the others are likely.
 */
function likelier(shares: Float64Array, jobs: WeightedJob[]): Float64Array {
  const below = new Float64Array(binCount + 1);
  for (let bin = 0; bin < binCount; bin++) below[bin + 1] = (below[bin] as number) + (shares[bin] as number);
  const changes = new Float64Array(binCount + 1);
  for (const [first, last, weight] of jobs) {
    const possible = (below[last + 1] as number) - (below[first] as number);
    const factor = weight / Math.max(possible, 1e-12);
    changes[first] = (changes[first] as number) + factor;
    changes[last + 1] = (changes[last + 1] as number) - factor;
  }
  const result = new Float64Array(binCount);
  let factor = 0;
  for (let bin = 0; bin < binCount; bin++) {
    factor += changes[bin] as number;
    result[bin] = Math.max(factor, 0) * (shares[bin] as number) + unseenJobs / binCount;
  }
  return result;
}

/** Splits the jobs by the golden ratio, so that no periodic order of jobs falls into one half. */
const halfOf = (job: number) => Math.floor(job * (Math.sqrt(5) - 1)) % 2;

/** The bin of a duration; the last bin also holds everything longer. */
function binOf(ms: number): number {
  if (ms <= firstEdgeMs) return 0;
  return Math.min(Math.ceil(Math.log(ms / firstEdgeMs) / Math.log(step)), binCount - 1);
}

/** The edge of bins that is nearest to a time. */
export function nearestEdge(ms: number): number {
  const bin = binOf(ms);
  return ms - binStartMs(bin) < binStartMs(bin + 1) - ms ? bin : bin + 1;
}

/** Replaces each bin with the mean of itself and of `neighbours` bins on each side. */
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
