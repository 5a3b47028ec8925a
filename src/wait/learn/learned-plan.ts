import { type PollDelays, unlearnedDelayMs, usualDelays as usual } from "../poll-delay.js";
import { binStartMs, Durations, nearestEdge } from "./durations.js";
import { type Cost, expectedCost } from "./expected-cost.js";
import { type Polls, placePolls } from "./place-polls.js";

/** How many jobs must have ended before the plan relies on their durations. */
const warmUpJobs = 5;
/** The longest learned delay, as a multiple of the unlearned delay at the time of the poll. */
const mostTimesUnlearned = 5;
/** A new plan is made once the number of jobs has grown by this share, or by so many jobs. */
const newsShare = 1 / 8;
const mostNews = 8;
/** A plan is kept at least this long, even if many jobs end: making one takes some milliseconds. */
const shortestLifeMs = 100;
/** A plan is followed only if it reduces polls × lateness to this share, tested on jobs it was not made from. */
const worthwhile = 0.85;
/** The weight of the newest test in the running mean, after the first few tests. */
const newestTrial = 0.1;
/** The time of an end is imprecise if the previous poll was earlier than this share of it. */
const roughly = 0.7;
/** Several imprecise ends in a row are suspicious if their joint probability is below this. */
const suspicious = 0.3;
/** In that case, a first poll that is due later than this is preceded by another one, at a share of its time. */
const lateFirstPollMs = 1_000;
const leadingShare = 0.35;
/**
 * A first poll that would be due earlier than this is sent at the unlearned time instead: if it were put off by so
 * little and found jobs ended, nothing would show whether they had ended by the unlearned time, too.
 */
const earliestFirstPollMs = 1.25 * usual.minDelayMs;
/** Below this probability, the next job is polled with the unlearned delays. */
const surprising = 0.04;
/** If that job's end is as unlikely and the joint probability falls below this, jobs have changed. */
const changed = 1e-4;
/** After such a change, only so many of the latest jobs are remembered. */
const jobsAfterChange = 4;

/** Polls × lateness over two costs of equal weight, up to a constant factor. */
const product = (one: Cost, other: Cost) => (one.polls + other.polls) * (one.lateness + other.lateness);

/** Plans are made for waits with the usual delays; `delayMs` applies the limits of each wait. */
const longestGapMs = (timeMs: number) =>
  Math.min(mostTimesUnlearned * unlearnedDelayMs(timeMs, usual), usual.maxDelayMs);

/**
 * When to poll a job, learned from earlier jobs: polls are placed where ends are likely. The delay is that of
 * `pollDelayMs` while few jobs were seen, for jobs that outlast all of them, and if learning does not pay off; also
 * after jobs that ended surprisingly early, to find out whether jobs have changed. No delay exceeds `maxDelayMs`, or
 * about five times that of `pollDelayMs` at the time of the poll.
 */
export class LearnedPlan {
  readonly #durations = new Durations();
  /** When to poll, the number of jobs on which that rests, and when it was planned. */
  #plan: (Polls & { jobs: number; madeAt: number }) | undefined;
  /** The number of tests. It starts at two tests without gain, because the first ones rest on few jobs. */
  #trials = 2;
  /** The running mean over all tests of the logarithm of polls × lateness, planned ÷ unlearned. */
  #gain = 0;
  /** The joint probability that the latest jobs with imprecise ends ended so early. */
  #luck = 1;

  /**
   * @param wider the plan for jobs of all kinds, used while few jobs of this kind were seen
   * @param now the time in milliseconds, by default the wider plan's; without any, plans have no shortest life
   */
  constructor(
    private readonly wider?: LearnedPlan,
    private readonly now: () => number = wider?.now ?? (() => Number.POSITIVE_INFINITY),
  ) {}

  /**
   * How long to wait before the next poll of a job that has run for `elapsedMs`, in milliseconds.
   *
   * @param jitter from 0.9 to 1.1; it moves a poll by up to a tenth of the unlearned delay
   */
  delayMs(elapsedMs: number, jitter: number, { minDelayMs, maxDelayMs }: PollDelays): number {
    // A clock that was set back must not break the wait.
    const elapsed = Math.max(elapsedMs, 0);
    const target = this.#nextPollMs(elapsed);
    const delay =
      target === undefined
        ? unlearnedDelayMs(elapsed, { minDelayMs, maxDelayMs }) * jitter
        : target - elapsed + unlearnedDelayMs(target, usual) * (jitter - 1);
    return Math.min(Math.max(delay, minDelayMs), maxDelayMs);
  }

  /** Learns from a job that was unfinished at one time and finished at another, in milliseconds since its start. */
  learn(unfinishedAtMs: number, finishedAtMs: number): void {
    if (!this.#durations.add(unfinishedAtMs, finishedAtMs)) return;
    this.wider?.learn(unfinishedAtMs, finishedAtMs);
    const share = this.#plan?.ended[nearestEdge(finishedAtMs)] ?? 1;
    const isSurprised = this.#luck < surprising;
    const isExpected = isSurprised ? share >= surprising : unfinishedAtMs >= roughly * finishedAtMs;
    this.#luck = isExpected ? 1 : this.#luck * share;
    if (isSurprised && this.#luck < changed) this.#forget();
  }

  /** When to poll next, in milliseconds since the job's start; `undefined` if the unlearned delay applies. */
  #nextPollMs(elapsedMs: number): number | undefined {
    // A plan with a wider one rests on the jobs of all kinds.
    const { jobs } = (this.wider ?? this).#durations;
    if (jobs < warmUpJobs) return undefined;
    const { next, last } = this.#newestPolls(jobs);
    if (this.#luck < surprising || this.#gain > Math.log(worthwhile)) return undefined;
    const edge = nearestEdge(elapsedMs);
    if (edge >= last) return undefined;
    const pollMs = binStartMs(next[edge] as number);
    if (elapsedMs === 0 && pollMs < earliestFirstPollMs) return undefined;
    const isLed = elapsedMs === 0 && pollMs > lateFirstPollMs && this.#luck < suspicious;
    return isLed ? leadingShare * pollMs : Math.min(pollMs, elapsedMs + longestGapMs(pollMs));
  }

  /** Also forgets the wider plan's jobs, since other kinds have probably changed too. */
  #forget(): void {
    if (this.wider) this.wider.#forget();
    this.#durations.keepOnly(jobsAfterChange);
    this.#plan = undefined;
    this.#luck = 1;
  }

  #newestPolls(jobs: number): Polls {
    const [plan, now] = [this.#plan, this.now()];
    if (plan) {
      const isNews = jobs - plan.jobs >= Math.min(newsShare * plan.jobs, mostNews);
      const isFresh = now >= plan.madeAt && now < plan.madeAt + shortestLifeMs;
      if (isFresh || !isNews) return plan;
    }
    const shares = this.#shares();
    const { polls, lateness } = expectedCost(shares);
    // Polls × lateness is minimal when one per cent more of the one saves one per cent of the other. This is the price
    // without learning. The lower one that a plan arrives at hardly improves the next plan.
    const place = (shares: Float64Array) => placePolls(shares, lateness / polls, longestGapMs);
    this.#try(place);
    this.#plan = { ...place(shares), jobs, madeAt: now };
    return this.#plan;
  }

  /** Tests the plan for each half of the jobs on the other half. */
  #try(place: (shares: Float64Array) => Polls): void {
    const [one, other] = [this.#shares(0), this.#shares(1)];
    const planned = product(expectedCost(one, place(other)), expectedCost(other, place(one)));
    const gain = Math.log(planned / product(expectedCost(one), expectedCost(other)));
    this.#trials++;
    this.#gain += Math.max(newestTrial, 1 / this.#trials) * (gain - this.#gain);
  }

  #shares(half?: number): Float64Array {
    const expected = this.wider ? this.wider.#shares(half) : undefined;
    return this.#durations.shares(expected, half);
  }
}
