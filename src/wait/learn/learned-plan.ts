import { coldDelayMs, type PollDelays, usualDelays as usual } from "../poll-delay.js";
import { DurationMemory } from "./durations.js";
import { type Looks, placeLooks } from "./place-polls.js";

/** How many jobs must have ended before their durations are relied on. */
const warmUpJobs = 5;
/** A delay that was learned is at most this many times the delay without learning, at the time of the poll. */
const mostTimesCold = 5;
/** A new plan is made for a share of news, and at the latest for so many jobs. */
const newsShare = 1 / 8;
const mostNews = 8;

/** Plans are made for waits that set no delays of their own; `delayMs` keeps to those of each wait. */
const longestGapMs = (timeMs: number) =>
  Math.min(mostTimesCold * coldDelayMs(timeMs, usual), usual.maxDelayMs);

/**
 * When to look at a job, learned from the jobs that were seen to end: polls come where ends are likely. As long as
 * few were seen, and for jobs that outlast all of them, the delay is that of `pollDelayMs`. When jobs change, the
 * plan follows within some tens of them; until then no delay is longer than about five times that of `pollDelayMs` at the
 * time of the poll, nor than `maxDelayMs`.
 */
export class LearnedPlan {
  readonly #memory = new DurationMemory();
  readonly #wider: LearnedPlan | undefined;
  #looks: Looks | undefined;
  #plannedFor = 0;

  /** @param wider the plan for jobs of this kind and of others: what to expect as long as few of this kind were seen */
  constructor(wider?: LearnedPlan) {
    this.#wider = wider;
  }

  /**
   * How long to wait before the next look at a job that has run for `elapsedMs`, in milliseconds.
   *
   * @param jitter from 0.9 to 1.1: a poll is moved by up to a tenth of the delay that it would have without learning
   */
  delayMs(elapsedMs: number, jitter: number, { minDelayMs, maxDelayMs }: PollDelays): number {
    // A clock that went back is no reason to fail.
    const elapsed = Math.max(elapsedMs, 0);
    const target = this.#nextLookMs(elapsed);
    const delay =
      target === undefined
        ? coldDelayMs(elapsed, { minDelayMs, maxDelayMs }) * jitter
        : target - elapsed + coldDelayMs(target, usual) * (jitter - 1);
    return Math.min(Math.max(delay, minDelayMs), maxDelayMs);
  }

  /** Takes in that a job was unfinished at one time and finished at another, in milliseconds since it began. */
  learn(unfinishedAtMs: number, finishedAtMs: number): void {
    this.#memory.add(unfinishedAtMs, finishedAtMs);
    this.#wider?.learn(unfinishedAtMs, finishedAtMs);
  }

  /** When to look next; `undefined` where nothing was learned. */
  #nextLookMs(elapsedMs: number): number | undefined {
    if (this.#jobs < warmUpJobs) return undefined;
    const { timesMs, next } = this.#newestLooks();
    const place = nearest(timesMs, elapsedMs);
    if (place === timesMs.length - 1) return undefined;
    const look = timesMs[next[place] as number] as number;
    return Math.min(look, elapsedMs + longestGapMs(look));
  }

  /** How many jobs taught this plan something, through the wider one if there is one. */
  get #jobs(): number {
    return (this.#wider ?? this).#memory.jobs;
  }

  #newestLooks(): Looks {
    const jobs = this.#jobs;
    if (this.#looks && jobs - this.#plannedFor < Math.min(newsShare * this.#plannedFor, mostNews)) {
      return this.#looks;
    }
    this.#looks = placeLooks(this.#shares(), this.#looks?.price ?? 0.01, longestGapMs);
    this.#plannedFor = jobs;
    return this.#looks;
  }

  #shares(): Float64Array {
    return this.#memory.shares(this.#wider ? this.#wider.#shares() : undefined);
  }
}

/** The place of the number that is nearest to `number` in an ascending list. */
function nearest(ascending: Float64Array, number: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  const isBelowNearer =
    number - (ascending[low - 1] ?? Number.NEGATIVE_INFINITY) < (ascending[low] as number) - number;
  return isBelowNearer ? low - 1 : low;
}
