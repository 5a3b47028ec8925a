import { type PollDelays, unlearnedDelayMs, usualDelays as usual } from "./poll-delay.js";

/** The times at which a plan may poll, in milliseconds since the job's start. Each is 1.25 % later than the one before. */
const step = 1.0125;
const times = [0];
for (let ms = usual.minDelayMs; ms < 3_600_000; ms *= step) times.push(ms);

/** A new plan is made whenever this many more jobs have ended. */
const jobsPerPlan = 6;
/** With each job that ends, earlier ones count for less by this factor. */
const keptPerJob = 0.98;
/** Similar jobs may end a little earlier or later than the ones seen, by so many of `times`. */
const spread = 4;
/** The weight, in jobs, of all durations together before any job has ended. */
const unseenJobs = 0.01;
/** A plan is followed while it costs at most this share of what the usual delays would have cost. */
const worthwhile = 0.75;
/** A plan ends when only this share of jobs is still running. */
const beyondShare = 0.005;
/** The longest pause of a plan, as a multiple of the usual delay at its end. */
const mostTimesUsual = 5;
/** An end is known only roughly if the poll before was earlier than this share of it. */
const roughly = 0.6;
/** About the time from a poll to its answer. */
const answerMs = 100;

/**
 * When to poll a job, learned from the jobs before it: polls are placed where ends are likely. The usual delays apply
 * before the first plan, to a job that outlasts the plan, and while the plan would not have saved enough.
 */
export class LearnedPlan {
  #jobs = 0;
  /** How many jobs ended between each of `times` and the next one. */
  #ends: number[] = Array(times.length).fill(unseenJobs / times.length);
  /** For each of `times` the index of the next poll. */
  #next: number[] = [];
  /** What the jobs would have cost by the plans of their time, and by the usual delays. */
  readonly #planned = new Cost();
  readonly #usual = new Cost();
  /** Whether jobs may have changed: the next one is polled with the usual delays, which show its end more exactly. */
  #isInDoubt = false;

  /**
   * How long to wait before the next poll of a job that has run for `elapsedMs`, in milliseconds.
   *
   * @param elapsedMs a negative value counts as 0, since the clocks of two machines may differ
   * @param jitter from 0.9 to 1.1; it moves a poll by up to a tenth of the usual delay
   */
  delayMs(elapsedMs: number, jitter: number, { minDelayMs, maxDelayMs }: PollDelays): number {
    const elapsed = Math.max(elapsedMs, 0);
    const isFollowed = !this.#isInDoubt && this.#planned.product <= worthwhile * this.#usual.product;
    const at = isFollowed ? this.#plannedAt(elapsed) : undefined;

    const delay =
      at === undefined
        ? unlearnedDelayMs(elapsed, { minDelayMs, maxDelayMs }) * jitter
        : at - elapsed + unlearnedDelayMs(at, usual) * (jitter - 1);
    return Math.min(Math.max(delay, minDelayMs), maxDelayMs);
  }

  /** Learns from a job that was unfinished at one time and finished at another, in milliseconds since its start. */
  learn(unfinishedAtMs: number, finishedAtMs: number): void {
    if (!(unfinishedAtMs >= 0 && unfinishedAtMs < finishedAtMs && finishedAtMs < Number.POSITIVE_INFINITY))
      return;

    const durationMs = Math.min((unfinishedAtMs + finishedAtMs) / 2, times.at(-1) as number);
    this.#planned.add(durationMs, (ms) => this.#plannedAt(ms) ?? usualAt(ms));
    this.#usual.add(durationMs, usualAt);
    this.#isInDoubt = unfinishedAtMs < roughly * finishedAtMs;

    const from = Math.max(indexOf(unfinishedAtMs) - spread, 0);
    const before = Math.min(indexOf(finishedAtMs) + spread, times.length - 1);
    const share = 1 / (before - from);
    this.#ends = this.#ends.map(
      (jobs, index) => keptPerJob * jobs + (index >= from && index < before ? share : 0),
    );

    this.#jobs++;
    // The price of a poll that makes polls × lateness least is lateness ÷ polls.
    const price = this.#usual.lateness / this.#usual.polls;
    if (this.#jobs % jobsPerPlan === 0) this.#next = placedPolls(this.#ends, price);
  }

  /** When the plan polls next; `undefined` before the first plan and after its end. */
  #plannedAt(elapsedMs: number): number | undefined {
    const next = this.#next[indexOf(elapsedMs)];
    return next === undefined ? undefined : times[next];
  }
}

/** The sums over the latest jobs of their polls, and of their lateness as a share of the duration. */
class Cost {
  polls = 0;
  lateness = 0;

  get product(): number {
    return this.polls * this.lateness;
  }

  add(durationMs: number, nextAt: (ms: number) => number): void {
    let [polls, ms] = [0, 0];
    for (; ms < durationMs; polls++) ms = nextAt(ms);
    this.polls = keptPerJob * this.polls + polls;
    this.lateness = keptPerJob * this.lateness + (ms + answerMs - durationMs) / durationMs;
  }
}

const usualAt = (ms: number) => ms + unlearnedDelayMs(ms, usual);

/** For each of `times` the longest pause of a plan before it, in milliseconds. */
const longestGaps = times.map((ms) =>
  Math.min(mostTimesUsual * unlearnedDelayMs(ms, usual), usual.maxDelayMs),
);

/** The index of the one of `times` that is nearest. */
function indexOf(ms: number): number {
  const index = 1 + Math.round(Math.log(ms / usual.minDelayMs) / Math.log(step));
  return Math.min(Math.max(index, 0), times.length - 1);
}

/**
 * Places polls so that few of them see most ends early, by dynamic programming from the last time to the first: the best
 * next poll has the least lateness until then plus the least cost of all that follows.
 *
 * @param ends how many jobs end between each of `times` and the next one
 * @param price the lateness that one more poll must save, as a share of the duration
 * @returns for each of `times` the index of the next poll
 */
function placedPolls(ends: number[], price: number): number[] {
  // The sums up to each time of the jobs, and of the jobs divided by their duration.
  const ended = [0];
  const inverse = [0];
  for (let index = 0; index < times.length - 1; index++) {
    const jobs = ends[index] as number;
    const durationMs = ((times[index] as number) + (times[index + 1] as number)) / 2;
    ended.push((ended[index] as number) + jobs);
    inverse.push((inverse[index] as number) + jobs / durationMs);
  }
  const all = ended.at(-1) as number;
  const last = ended.findIndex((jobs) => jobs >= (1 - beyondShare) * all);

  const next: number[] = [];
  const cost: number[] = [];
  cost[last] = 0;
  for (let from = last - 1; from >= 0; from--) {
    let least = Number.POSITIVE_INFINITY;
    for (let to = from + 1; to <= last; to++) {
      const atMs = times[to] as number;
      if (to > from + 1 && atMs - (times[from] as number) > (longestGaps[to] as number)) break;

      // The sum over all jobs that end in between of (poll + answer − duration) / duration.
      const late =
        (atMs + answerMs) * ((inverse[to] as number) - (inverse[from] as number)) -
        ((ended[to] as number) - (ended[from] as number));
      if (late + (cost[to] as number) >= least) continue;
      least = late + (cost[to] as number);
      next[from] = to;
    }
    cost[from] = price * (all - (ended[from] as number)) + least;
  }
  return next;
}
