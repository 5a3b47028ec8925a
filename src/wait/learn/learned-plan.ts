import { type PollDelays, unlearnedDelayMs, usualDelays as usual } from "../poll-delay.js";
import { Durations } from "./durations.js";
import { type Polls, placePolls } from "./place-polls.js";

/** How many jobs must have ended before their durations are relied on. */
const warmUpJobs = 5;
/** A delay that was learned is at most this many times the delay without learning, at the time of the poll. */
const mostTimesUnlearned = 5;
/** A new plan is made for a share of news, and at the latest for so many jobs. */
const newsShare = 1 / 8;
const mostNews = 8;

/** Plans are made for waits that set no delays of their own; `delayMs` keeps to those of each wait. */
const longestGapMs = (timeMs: number) =>
  Math.min(mostTimesUnlearned * unlearnedDelayMs(timeMs, usual), usual.maxDelayMs);

/**
 * When to poll a job, learned from the jobs that were seen to end: polls come where ends are likely. As long as
 * few were seen, and for jobs that outlast all of them, the delay is that of `pollDelayMs`. When jobs change, the
 * plan follows within some tens of them; until then no delay is longer than about five times that of `pollDelayMs` at the
 * time of the poll, nor than `maxDelayMs`.
 */
export class LearnedPlan {
  readonly #durations = new Durations();
  readonly #wider: LearnedPlan | undefined;
  #polls: Polls | undefined;
  #plannedFor = 0;

  /** @param wider the plan for jobs of this kind and of others: what to expect as long as few of this kind were seen */
  constructor(wider?: LearnedPlan) {
    this.#wider = wider;
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
    this.#durations.add(unfinishedAtMs, finishedAtMs);
    this.#wider?.learn(unfinishedAtMs, finishedAtMs);
  }

  /** When to poll next; `undefined` where nothing was learned. */
  #nextPollMs(elapsedMs: number): number | undefined {
    if (this.#jobs < warmUpJobs) return undefined;
    const { timesMs, next } = this.#newestPolls();
    const place = nearest(timesMs, elapsedMs);
    if (place === timesMs.length - 1) return undefined;
    const pollMs = timesMs[next[place] as number] as number;
    return Math.min(pollMs, elapsedMs + longestGapMs(pollMs));
  }

  /** How many jobs taught this plan something, through the wider one if there is one. */
  get #jobs(): number {
    return (this.#wider ?? this).#durations.jobs;
  }

  #newestPolls(): Polls {
    const jobs = this.#jobs;
    if (this.#polls && jobs - this.#plannedFor < Math.min(newsShare * this.#plannedFor, mostNews)) {
      return this.#polls;
    }
    this.#polls = placePolls(this.#shares(), this.#polls?.price ?? 0.01, longestGapMs);
    this.#plannedFor = jobs;
    return this.#polls;
  }

  #shares(): Float64Array {
    return this.#durations.shares(this.#wider ? this.#wider.#shares() : undefined);
  }
}

/** The place of the number that is nearest to `number` in an ascending list. */
function nearest(ascending: Float64Array, number: number): number {
  let place = 0;
  const isNextNearer = () =>
    (ascending[place + 1] as number) - number <= number - (ascending[place] as number);
  while (isNextNearer()) place++;
  return place;
}
