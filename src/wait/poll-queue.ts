import { RateLimitError } from "../errors/errors.js";
import type { Log } from "../secrets/log.js";
import { type Due, DueHeap } from "../time/due-heap.js";
import type { Timeline, TimelineEntry } from "../time/timeline.js";
import { Throttle } from "./throttle.js";

/** Who polls: at most once at a time. */
export interface Poller extends Due {
  /** Polls, unless that is wanted no longer: between calls of the queue's `begin` and `end`. */
  start(now: number): void;
}

/** How a poll ended: it found the job ended or unfinished, nobody waits any longer, or it failed. */
export type PollOutcome = "ended" | "unfinished" | "abandoned" | { error: unknown };

/** Polls that are started before the event loop has its turn: these, or of many places a share, less these. */
const fewestStartedAtOnce = 8;
const shareStartedAtOnce = 1 / 4;

/** A poll that has been out for so long may hang, and takes no place any more. */
const longestPlaceMs = 3000;

/** First polls have this many places, as nobody should wait blindly; more at once would be a flood. */
const firstPlaces = 512;

const never = Number.POSITIVE_INFINITY;

/** The polls of a client, in the order in which they are due, and only so many at a time. */
export class PollQueue implements TimelineEntry {
  dueAt = never;
  place = -1;
  readonly #timeline: Timeline;
  readonly #log: Log;
  /** By when they are due. */
  readonly #usual = new DueHeap<Poller>();
  /** Those that somebody waits for who has seen no poll yet, by when they are due: they come before the usual ones. */
  readonly #first = new DueHeap<Poller>();
  /** Last polls, by their deadlines. Neither a place nor the throttle holds them back. */
  readonly #last = new DueHeap<Poller>();
  /** Those whose polls take the places, by when they give them away. */
  readonly #inFlight = new DueHeap<Poller>();
  readonly #mostStartedAtOnce: number;
  #startsLeft: number;
  readonly #throttle: Throttle<Poller>;
  readonly #places: number;

  /** @param places polls in flight at the most, but for first and last ones */
  constructor(timeline: Timeline, log: Log, places: number) {
    this.#timeline = timeline;
    this.#log = log;
    this.#places = places;
    const startedOfMany = places * shareStartedAtOnce - fewestStartedAtOnce;
    this.#mostStartedAtOnce = Math.max(fewestStartedAtOnce, startedOfMany);
    this.#startsLeft = this.#mostStartedAtOnce;
    this.#throttle = new Throttle(places);
  }

  /**
   * Lets `poller` poll at `dueAt` or as soon after it as there is a place.
   *
   * @param isFirst whether somebody has seen no poll yet
   * @returns false where it comes earlier anyway, or never
   */
  add(poller: Poller, dueAt: number, isFirst: boolean): boolean {
    if (dueAt === never || this.#last.has(poller)) return false;
    const isQueued = this.#isQueued(poller);
    const isEarlier = !isQueued || dueAt < poller.dueAt;
    const heap = isFirst || this.#first.has(poller) ? this.#first : this.#usual;
    if (!isEarlier && heap.has(poller)) return false;
    const at = isEarlier ? dueAt : poller.dueAt;
    this.#remove(poller);
    heap.set(poller, at);
    this.#schedule();
    return isEarlier;
  }

  /** Lets `poller` poll now; returns false where it was to do so already, for a deadline that is no later. */
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
    this.#startsLeft = this.#mostStartedAtOnce;
    this.start(now);
  }

  /** Starts some of what is due and has a place. The rest follows after a turn of the event loop, or when others end. */
  start(now: number): void {
    for (let { first } = this.#inFlight; first && first.dueAt <= now; { first } = this.#inFlight) {
      this.#inFlight.delete(first);
    }
    while (this.#startsLeft > 0) {
      const next = this.#next();
      if (next === undefined || next.at > now) break;
      this.#remove(next.poller);
      next.poller.start(now);
    }
    this.#schedule();
  }

  /** Takes in that `poller` begins a poll. */
  begin(poller: Poller, now: number): void {
    this.#startsLeft--;
    this.#inFlight.set(poller, now + longestPlaceMs);
  }

  /** Takes in how the poll of `poller` ended that was sent at `sentAt`. */
  end(poller: Poller, sentAt: number, now: number, outcome: PollOutcome): void {
    this.#inFlight.delete(poller);
    this.#startsLeft = this.#mostStartedAtOnce;
    if (typeof outcome === "string") {
      if (outcome !== "abandoned") this.#throttle.accepted(sentAt);
    } else if (outcome.error instanceof RateLimitError) {
      const { retryAfterMs } = outcome.error;
      const delayMs = this.#throttle.refused(poller, sentAt, now, retryAfterMs);
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
    const startAt = this.#next()?.at ?? never;
    if (startAt === never) this.#timeline.delete(this);
    else if (startAt !== this.dueAt || !this.#timeline.has(this)) this.#timeline.set(this, startAt);
  }

  /** Who polls next, and when at the earliest: where there is no place, when one is given away. */
  #next(): { poller: Poller; at: number } | undefined {
    const last = this.#last.first;
    if (last !== undefined) return { poller: last, at: Number.NEGATIVE_INFINITY };
    const { limit, pausedUntil, probe } = this.#throttle;
    const placeAt = this.#placeAt(limit);
    const firstPlaceAt = limit < this.#places ? placeAt : this.#placeAt(Math.max(limit, firstPlaces));
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

  /** When one of so many places is free. */
  #placeAt(places: number): number {
    const { size, first } = this.#inFlight;
    return size < places || first === undefined ? Number.NEGATIVE_INFINITY : first.dueAt;
  }
}
