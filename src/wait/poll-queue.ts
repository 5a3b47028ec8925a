import { RateLimitError } from "../errors/errors.js";
import type { Log } from "../secrets/log.js";
import { type Due, DueHeap } from "../time/due-heap.js";
import type { Timeline, TimelineEntry } from "../time/timeline.js";
import { Throttle } from "./throttle.js";

/** Something that polls, with at most one poll in flight. */
export interface Poller extends Due {
  /** Polls, unless that is no longer needed. Calls the queue's `begin` when it starts and `end` when it is done. */
  start(now: number): void;
}

/** How a poll ended: the job had ended or was unfinished, the poll was abandoned, or it failed. */
export type PollOutcome = "ended" | "unfinished" | "abandoned" | { error: unknown };

/** How many polls start in one turn of the event loop: at least so many, or else a share of the places less so many. */
const fewestStartedAtOnce = 8;
const shareStartedAtOnce = 1 / 4;

/** After this time a poll in flight may hang and no longer takes up a place. */
const longestPlaceMs = 3000;

/** How many places first polls have: enough that no wait stays blind, few enough not to flood the service. */
const firstPlaces = 512;

const never = Number.POSITIVE_INFINITY;

/** Runs the polls of a client in the order in which they are due, with a limited number in flight. */
export class PollQueue implements TimelineEntry {
  dueAt = never;
  place = -1;
  readonly #timeline: Timeline;
  readonly #log: Log;
  /** Ordered by due time. */
  readonly #usual = new DueHeap<Poller>();
  /** Polls of waiters that have not seen a poll yet, ordered by due time. They have places of their own. */
  readonly #first = new DueHeap<Poller>();
  /** Last polls, ordered by deadline. They start without a place and regardless of the throttle. */
  readonly #last = new DueHeap<Poller>();
  /** The pollers that take up usual places, ordered by when they lose them. */
  readonly #inFlight = new DueHeap<Poller>();
  /** The pollers of first and last polls in flight, in the same order. They take up none of the usual places. */
  readonly #inFlightAside = new DueHeap<Poller>();
  /** Whether the poll that is being started is a usual one. */
  #startsUsual = true;
  readonly #mostStartedAtOnce: number;
  /** How many polls were started in this turn of the event loop. */
  #started = 0;
  #throttle: Throttle<Poller>;

  /** @param places the most polls in flight, not counting first and last polls */
  constructor(timeline: Timeline, log: Log, places: number) {
    this.#timeline = timeline;
    this.#log = log;
    const startedOfMany = places * shareStartedAtOnce - fewestStartedAtOnce;
    this.#mostStartedAtOnce = Math.max(fewestStartedAtOnce, startedOfMany);
    this.#throttle = new Throttle(places);
  }

  /**
   * Schedules a poll of `poller` at `dueAt`, or as soon afterwards as a place is free.
   *
   * @param isFirst whether a waiter has not seen a poll yet
   * @returns false if an earlier poll is already scheduled, or if `dueAt` is infinite
   */
  add(poller: Poller, dueAt: number, isFirst: boolean): boolean {
    if (dueAt === never || this.#last.has(poller)) return false;
    const isEarlier = !this.#isQueued(poller) || dueAt < poller.dueAt;
    const heap = isFirst || this.#first.has(poller) ? this.#first : this.#usual;
    if (!isEarlier && heap.has(poller)) return false;
    this.#remove(poller);
    heap.set(poller, isEarlier ? dueAt : poller.dueAt);
    this.#schedule();
    return isEarlier;
  }

  /** Schedules a last poll for now; returns false if one with the same or an earlier deadline is scheduled. */
  addLast(poller: Poller, deadline: number): boolean {
    if (this.#last.has(poller) && poller.dueAt <= deadline) return false;
    this.#remove(poller);
    this.#last.set(poller, deadline);
    this.#schedule();
    return true;
  }

  delete(poller: Poller): void {
    this.#remove(poller);
    this.#schedule();
  }

  wake(now: number): void {
    this.#started = 0;
    this.start(now);
  }

  /** Starts polls that are due and have a place, up to a limit. The rest start in a later turn, or when a poll ends. */
  start(now: number): void {
    // The clock was set back, for example because fake timers were uninstalled.
    if (this.#throttle.refusedAt > now) this.#throttle = new Throttle(this.#throttle.most);
    this.#inFlight.takeDue(now);
    this.#inFlightAside.takeDue(now);
    while (this.#started < this.#mostStartedAtOnce) {
      const next = this.#next();
      if (next === undefined || next.at > now) break;
      this.#startsUsual = this.#usual.has(next.poller);
      this.#remove(next.poller);
      next.poller.start(now);
    }
    this.#schedule();
  }

  /** Records that `poller` has started a poll. */
  begin(poller: Poller, now: number): void {
    this.#started++;
    (this.#startsUsual ? this.#inFlight : this.#inFlightAside).set(poller, now + longestPlaceMs);
  }

  /** Records how the poll of `poller` that was sent at `sentAt` has ended. */
  end(poller: Poller, sentAt: number, now: number, outcome: PollOutcome): void {
    this.#inFlight.delete(poller);
    this.#inFlightAside.delete(poller);
    this.#started = 0;
    if (outcome === "ended" || outcome === "unfinished") this.#throttle.accepted(sentAt);
    else if (outcome !== "abandoned" && outcome.error instanceof RateLimitError) {
      const delayMs = this.#throttle.refused(poller, sentAt, now, outcome.error.retryAfterMs);
      if (delayMs !== undefined) this.#log.warn("All polls slow down after a 429", { delayMs });
    }
    this.#schedule();
  }

  #isQueued(poller: Poller): boolean {
    return this.#usual.has(poller) || this.#first.has(poller);
  }

  #remove(poller: Poller): void {
    for (const heap of [this.#usual, this.#first, this.#last]) heap.delete(poller);
  }

  #schedule(): void {
    this.#timeline.set(this, this.#next()?.at ?? never);
  }

  /** The next poller and its earliest start: if all places are taken, when the next one becomes free. */
  #next(): { poller: Poller; at: number } | undefined {
    const last = this.#last.first;
    if (last !== undefined) return { poller: last, at: Number.NEGATIVE_INFINITY };
    const { most, limit, pausedUntil, probe } = this.#throttle;
    // After a 429, all polls share the places that are left.
    const isThrottled = limit < most;
    const placeAt = freeAt(limit, this.#inFlight, isThrottled ? this.#inFlightAside : undefined);
    const firstPlaceAt = isThrottled ? placeAt : freeAt(firstPlaces, this.#inFlightAside);
    let next: { poller: Poller; at: number } | undefined;
    const offer = (poller: Poller | undefined, earliest: number) => {
      if (poller === undefined) return;
      const at = Math.max(poller.dueAt, earliest);
      if (next === undefined || at < next.at) next = { poller, at };
    };
    offer(this.#first.first, Math.max(firstPlaceAt, pausedUntil));
    offer(this.#usual.first, Math.max(placeAt, pausedUntil));
    if (probe !== undefined && this.#isQueued(probe)) offer(probe, placeAt);
    return next;
  }
}

/** When one of so many places becomes free that these polls take up. */
function freeAt(places: number, polls: DueHeap<Poller>, others?: DueHeap<Poller>): number {
  if (polls.size + (others?.size ?? 0) < places) return Number.NEGATIVE_INFINITY;
  return Math.min(polls.first?.dueAt ?? never, others?.first?.dueAt ?? never);
}
