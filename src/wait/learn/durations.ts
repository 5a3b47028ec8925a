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
export const binStartMs = (bin: number): number => binStartsMs[bin] as number;

const binStartsMs = Float64Array.from({ length: binCount + 1 }, (_, bin) =>
  bin === 0 ? 0 : firstEdgeMs * step ** (bin - 1),
);

/** How many jobs are remembered: as many as fit into 64 kB of text for each of as many kinds as are told apart, */
const mostJobs = 120;
/** and what one still counts for after one more. */
const keptPerJob = 0.985;
/** How many bins to each side a duration is blurred over: jobs of one sort differ by some per cent. */
const blurBins = 3;
/** The same, as long as few jobs were seen: a handful says roughly how long others take, and no more. */
const wideBlurBins = 40;
/** How many jobs must have been seen until they weigh more than that. */
const fewJobs = 3;
/** How often the durations that all jobs together make likely are taken for the next guess at each of them. */
const rounds = 12;
/** What any duration counts for that was not seen, in jobs: so little that it only decides where nothing else does. */
const unseenJobs = 0.01;

/** How long jobs took, as far as polls can tell: between which times each of the latest ones ended. */
export class Durations {
  /** The first and the last bin in which a job may have ended, by its number from the first one on, over and over. */
  readonly #firstBins = new Uint16Array(mostJobs);
  readonly #lastBins = new Uint16Array(mostJobs);
  #jobs = 0;
  /** How many of these are forgotten, were there ever so much room. */
  #forgotten = 0;

  /** How many jobs were ever added. */
  get jobs(): number {
    return this.#jobs;
  }

  /**
   * Remembers a job that was unfinished at one time and finished at another, both in milliseconds since it began.
   *
   * @returns false for times that make no sense, of which nothing is remembered
   */
  add(unfinishedAtMs: number, finishedAtMs: number): boolean {
    if (!(unfinishedAtMs >= 0 && unfinishedAtMs < finishedAtMs && finishedAtMs < Number.POSITIVE_INFINITY))
      return false;
    const last = binOf(finishedAtMs);
    this.#add(unfinishedAtMs === 0 ? 0 : Math.min(binOf(unfinishedAtMs) + 1, last), last);
    return true;
  }

  /** Forgets all but so many of the latest jobs. */
  keepOnly(jobs: number): void {
    this.#forgotten = Math.max(this.#forgotten, this.#jobs - jobs);
  }

  /** All that is remembered, as text: for each job, the oldest first, two digits of its first bin and two of its last. */
  keep(): string {
    return this.#places()
      .map((place) => digits(this.#firstBins[place]) + digits(this.#lastBins[place]))
      .reverse()
      .join("");
  }

  /**
   * Takes back what was kept, but for the jobs that are remembered already: who shares a text has these in common.
   *
   * @returns false for what makes no sense, of which nothing is remembered
   */
  takeBack(kept: string): boolean {
    const jobs = jobsIn(kept);
    const bins = (job: string) =>
      [0, 2].map((at) => Number.parseInt(job.slice(at, at + 2), 36)) as [number, number];
    const isPossible = ([first, last]: [number, number]) => first <= last && last < binCount;
    if (jobs.join("") !== kept || !jobs.map(bins).every(isPossible)) return false;
    const known = jobsIn(this.keep());
    for (const job of jobs) {
      const place = known.indexOf(job);
      if (place < 0) this.#add(...bins(job));
      else known.splice(place, 1);
    }
    return true;
  }

  /**
   * How likely a job is to end in each bin. The shares add up to 1, less what blurring moves past the ends.
   *
   * @param expected what to expect as long as few jobs were seen; else these few are blurred the more
   * @param half 0 or 1, to learn from only one half of the jobs, or from only the other
   */
  shares(expected?: Float64Array, half?: number): Float64Array {
    const { jobs, total } = this.#weighted(half);
    let shares: Float64Array = new Float64Array(binCount).fill(1 / binCount);
    for (let round = 1; round <= rounds; round++) {
      const neighbours = Math.max(blurBins, Math.round(wideBlurBins / 2 ** round));
      shares = blurred(blurred(likelier(shares, jobs), neighbours), neighbours);
    }
    const wide = expected ?? blurred(blurred(shares, wideBlurBins), wideBlurBins);
    const few = fewJobs / (fewJobs + total);
    const scale = 1 / Math.max(total + unseenJobs, 1);
    const wideScale = expected ? few : few * scale;
    for (let bin = 0; bin < binCount; bin++) {
      shares[bin] = (1 - few) * scale * (shares[bin] as number) + wideScale * (wide[bin] as number);
    }
    return shares;
  }

  #add(firstBin: number, lastBin: number): void {
    const place = this.#jobs++ % mostJobs;
    this.#firstBins[place] = firstBin;
    this.#lastBins[place] = lastBin;
  }

  /** Where the jobs are, the newest first. */
  #places(): number[] {
    const length = Math.min(this.#jobs - this.#forgotten, mostJobs);
    return Array.from({ length }, (_, age) => (this.#jobs - 1 - age) % mostJobs);
  }

  #weighted(half: number | undefined): { jobs: WeightedJob[]; total: number } {
    const jobs: WeightedJob[] = [];
    let total = 0;
    for (const [age, place] of this.#places().entries()) {
      if (half !== undefined && half !== halfOf(place)) continue;
      const weight = keptPerJob ** age;
      total += weight;
      jobs.push({ first: this.#firstBins[place] as number, last: this.#lastBins[place] as number, weight });
    }
    return { jobs, total };
  }
}

interface WeightedJob {
  first: number;
  last: number;
  weight: number;
}

/**
 * The next guess at how many jobs ended in each bin: each is spread over the bins where it may have ended, by what
 * was guessed of these. Jobs whose ends were seen closely so tell where those of the others lie. This is
 * expectation maximisation, smoothed as by Silverman and others in 1990.
 */
function likelier(shares: Float64Array, jobs: WeightedJob[]): Float64Array {
  const below = new Float64Array(binCount + 1);
  for (let bin = 0; bin < binCount; bin++) below[bin + 1] = (below[bin] as number) + (shares[bin] as number);
  const changes = new Float64Array(binCount + 1);
  for (const { first, last, weight } of jobs) {
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

const digits = (bin = 0): string => bin.toString(36).padStart(2, "0");
const jobsIn = (kept: string): string[] => kept.match(/[0-9a-z]{4}/g) ?? [];

/** In halves by the golden ratio, which no order of jobs keeps step with. */
function halfOf(place: number): number {
  return Math.floor(place * (Math.sqrt(5) - 1)) % 2;
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
