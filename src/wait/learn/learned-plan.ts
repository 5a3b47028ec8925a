import { type PollDelays, unlearnedDelayMs, usualDelays as usual } from "../poll-delay.js";
import { Durations } from "./durations.js";
import { expectedCost, product } from "./expected-cost.js";
import { type Polls, placePolls } from "./place-polls.js";

/** How many jobs must have ended before their durations are relied on. */
const warmUpJobs = 5;
/** A delay that was learned is at most this many times the delay without learning, at the time of the poll. */
const mostTimesUnlearned = 5;
/** A new plan is made for a share of news, and at the latest for so many jobs. */
const newsShare = 1 / 8;
const mostNews = 8;
/** Where many jobs end at once, it keeps for so long: making one takes as long as some thirty polls. */
const shortestLifeMs = 100;
/** A plan is kept to where it makes polls × lateness, tried on jobs that it was not made from, less than this share. */
const worthwhile = 0.85;
/** What the newest trial counts for beside those before, of which there are some. */
const newestTrial = 0.1;
/** An end is known only roughly where the poll before came by this share of the time. */
const roughly = 0.7;
/** Jobs in a row of which that is so are suspicious where it is less likely than this that so many end so soon: */
const suspicious = 0.3;
/** then a first poll that comes later than this is led by another one, at a share of the time. */
const lateFirstPollMs = 1_000;
const leadingShare = 0.35;
/** Where it is less likely than this, the next job is polled as if nothing had been learned. */
const surprising = 0.04;
/** If that shows an end which is as unlikely, and all this together less likely than so, then jobs have changed: */
const changed = 1e-4;
/** only so many of the latest ones are still remembered. */
const jobsAfterChange = 4;

/** Plans are made for waits that set no delays of their own; `delayMs` keeps to those of each wait. */
const longestGapMs = (timeMs: number) =>
  Math.min(mostTimesUnlearned * unlearnedDelayMs(timeMs, usual), usual.maxDelayMs);

/**
 * When to poll a job, learned from the jobs that were seen to end: polls come where ends are likely. As long as
 * few were seen, for jobs that outlast all of them, and where learning does not pay, the delay is that of
 * `pollDelayMs`; so it is after jobs that ended surprisingly soon, to show closely whether jobs have changed. No
 * delay is longer than about five times that of `pollDelayMs` at the time of the poll, nor than `maxDelayMs`.
 */
export class LearnedPlan {
  readonly #durations = new Durations();
  readonly #wider: LearnedPlan | undefined;
  readonly #now: () => number;
  #polls: Polls | undefined;
  #plannedFor = 0;
  #plannedAt = 0;
  /** So many without any gain count as made, as the first ones have few jobs to go by. */
  #trials = 2;
  /** The logarithm of what polls × lateness by the plan are as a share of those without, the mean of all trials. */
  #gain = 0;
  /** How likely it was that the latest jobs whose ends are known only roughly ended so soon. */
  #luck = 1;

  /**
   * @param wider the plan for jobs of this kind and of others: what to expect as long as few of this kind were seen
   * @param now the time in milliseconds, by default the wider plan's; with none, jobs count as ended one after the other
   */
  constructor(wider?: LearnedPlan, now = wider ? wider.#now : () => Number.POSITIVE_INFINITY) {
    this.#wider = wider;
    this.#now = now;
  }

  /**
   * How long to wait before the next poll of a job that has run for `elapsedMs`, in milliseconds.
   *
   * @param jitter from 0.9 to 1.1: a poll is moved by up to a tenth of the delay that it would have without learning
   */
  delayMs(elapsedMs: number, jitter: number, { minDelayMs, maxDelayMs }: PollDelays): number {
    // A clock that went back is no reason to fail.
    const elapsed = Math.max(elapsedMs, 0);
    const target = this.#nextPollMs(elapsed);
    const delay =
      target === undefined
        ? unlearnedDelayMs(elapsed, { minDelayMs, maxDelayMs }) * jitter
        : target - elapsed + unlearnedDelayMs(target, usual) * (jitter - 1);
    return Math.min(Math.max(delay, minDelayMs), maxDelayMs);
  }

  /** Takes in that a job was unfinished at one time and finished at another, in milliseconds since it began. */
  learn(unfinishedAtMs: number, finishedAtMs: number): void {
    if (!this.#durations.add(unfinishedAtMs, finishedAtMs)) return;
    this.#wider?.learn(unfinishedAtMs, finishedAtMs);
    const share = this.#polls ? endedBy(this.#polls, finishedAtMs) : 1;
    const isSurprised = this.#luck < surprising;
    const isExpected = isSurprised ? share >= surprising : unfinishedAtMs >= roughly * finishedAtMs;
    this.#luck = isExpected ? 1 : this.#luck * share;
    if (isSurprised && this.#luck < changed) this.#forget();
  }

  /** What was learned, as text. */
  keep(): string {
    return this.#durations.keep();
  }

  /**
   * Takes back what this or another plan kept. The wider plan keeps and takes back for itself.
   *
   * @returns false for what makes no sense, from which nothing is learned
   */
  takeBack(kept: string): boolean {
    return this.#durations.takeBack(kept);
  }

  /** When to poll next; `undefined` where nothing was learned. */
  #nextPollMs(elapsedMs: number): number | undefined {
    if (this.#jobs < warmUpJobs || this.#luck < surprising) return undefined;
    const { timesMs, next } = this.#newestPolls();
    if (this.#gain > Math.log(worthwhile)) return undefined;
    const place = nearest(timesMs, elapsedMs);
    if (place === timesMs.length - 1) return undefined;
    const pollMs = timesMs[next[place] as number] as number;
    const isLed = elapsedMs === 0 && pollMs > lateFirstPollMs && this.#luck < suspicious;
    return isLed ? leadingShare * pollMs : Math.min(pollMs, elapsedMs + longestGapMs(pollMs));
  }

  /** Jobs of other kinds are likely to have changed as well. */
  #forget(): void {
    if (this.#wider) this.#wider.#forget();
    this.#durations.keepOnly(jobsAfterChange);
    this.#polls = undefined;
    this.#luck = 1;
  }

  /** How many jobs taught this plan something, through the wider one if there is one. */
  get #jobs(): number {
    return (this.#wider ?? this).#durations.jobs;
  }

  #newestPolls(): Polls {
    const [jobs, now] = [this.#jobs, this.#now()];
    const isNews = jobs - this.#plannedFor >= Math.min(newsShare * this.#plannedFor, mostNews);
    const isFresh = now >= this.#plannedAt && now < this.#plannedAt + shortestLifeMs;
    if (this.#polls && (isFresh || !isNews)) return this.#polls;
    const shares = this.#shares();
    const { polls, lateness } = expectedCost(shares);
    // Lateness is not traded for few polls: that would make both worse where plans come and go.
    const mostPrice = lateness / polls;
    const place = (shares: Float64Array) =>
      placePolls(shares, Math.min(this.#polls?.price ?? mostPrice, mostPrice), mostPrice, longestGapMs);
    this.#try(place);
    this.#polls = place(shares);
    this.#plannedFor = jobs;
    this.#plannedAt = now;
    return this.#polls;
  }

  /** Tries the plan for each half of the jobs on the other one. */
  #try(place: (shares: Float64Array) => Polls): void {
    const [one, other] = [this.#shares(0), this.#shares(1)];
    const planned = product([expectedCost(one, place(other)), expectedCost(other, place(one))]);
    const gain = Math.log(planned / product([expectedCost(one), expectedCost(other)]));
    this.#trials++;
    this.#gain += Math.max(newestTrial, 1 / this.#trials) * (gain - this.#gain);
  }

  #shares(half?: number): Float64Array {
    const expected = this.#wider ? this.#wider.#shares(half) : undefined;
    return this.#durations.shares(expected, half);
  }
}

/** The share of the jobs that was expected to end by then. */
function endedBy({ timesMs, ended }: Polls, timeMs: number): number {
  return ended[nearest(timesMs, timeMs)] as number;
}

/** The place of the number that is nearest to `number` in an ascending list. */
function nearest(ascending: Float64Array, number: number): number {
  let place = 0;
  const isNextNearer = () =>
    (ascending[place + 1] as number) - number <= number - (ascending[place] as number);
  while (isNextNearer()) place++;
  return place;
}
