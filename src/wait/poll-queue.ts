import { RateLimitError } from "../errors/errors.js";
import type { Log } from "../secrets/log.js";
import { type Due, DueHeap } from "../time/due-heap.js";
import type { Timeline, TimelineEntry } from "../time/timeline.js";
import { mostInFlight, Throttle } from "./throttle.js";

/** Who polls: at most once at a time. */
export interface Poller extends Due {
  /** Begins a poll, which then ends with a call of the queue's `end`; `false` where none is wanted any longer. */
  start(now: number): boolean;
}

/** How a poll ended: it found the job ended or unfinished, nobody waits any longer, or it failed. */
export type PollOutcome = "ended" | "unfinished" | "abandoned" | { error: unknown };

/** Polls that are started before the event loop has its turn. */
const mostStartedAtOnce = 16;

const never = Number.POSITIVE_INFINITY;

/** The polls of a client, in the order in which they are due, and only so many at a time. */
export class PollQueue implements TimelineEntry {
  dueAt = never;
  place = -1;
  readonly #timeline: Timeline;
  readonly #log: Log;
  /** By when they are due. */
  readonly #pollers = new DueHeap<Poller>();
  /** Those that are due now and come before the others, by their deadlines. The throttle does not hold them back. */
  readonly #urgent = new DueHeap<Poller>();
  readonly #throttle = new Throttle<Poller>();
  #inFlight = 0;

  constructor(timeline: Timeline, log: Log) {
    this.#timeline = timeline;
    this.#log = log;
  }

  /** Lets `poller` poll at `dueAt` or as soon after it as there is a place, unless it comes earlier anyway. */
  add(poller: Poller, dueAt: number): void {
    const isLater = this.#pollers.has(poller) && poller.dueAt <= dueAt;
    if (dueAt === never || isLater || this.#urgent.has(poller)) return;
    this.#pollers.set(poller, dueAt);
    this.#schedule();
  }

  /** Lets `poller` poll now, before all that have no deadline or a later one. */
  addUrgent(poller: Poller, deadline: number): void {
    if (this.#urgent.has(poller) && poller.dueAt <= deadline) return;
    this.#pollers.delete(poller);
    this.#urgent.set(poller, deadline);
    this.#schedule();
  }

  delete(poller: Poller): void {
    this.#remove(poller);
    this.#schedule();
  }

  /** Starts some of what is due and has a place. The rest follows after a turn of the event loop, or when others end. */
  wake(now: number): void {
    for (let left = mostStartedAtOnce; left > 0; left--) {
      const next = this.#next();
      if (next === undefined || next.at > now) break;
      this.#remove(next.poller);
      this.#inFlight++;
      if (!next.poller.start(now)) this.#inFlight--;
    }
    this.#schedule();
  }

  /** Ends the poll of `poller`, which was sent at `sentAt`. */
  end(poller: Poller, sentAt: number, now: number, outcome: PollOutcome): void {
    this.#inFlight--;
    if (typeof outcome === "string") {
      if (outcome !== "abandoned") this.#throttle.accepted(sentAt);
    } else if (outcome.error instanceof RateLimitError) {
      const { retryAfterMs } = outcome.error;
      const delayMs = this.#throttle.refused(poller, sentAt, now, retryAfterMs);
      if (delayMs !== undefined) this.#log.warn("All polls slow down after a 429", { delayMs });
    }
    this.#schedule();
  }

  #remove(poller: Poller): void {
    this.#pollers.delete(poller);
    this.#urgent.delete(poller);
  }

  #schedule(): void {
    const startAt = this.#next()?.at ?? never;
    if (startAt === never) this.#timeline.delete(this);
    else if (startAt !== this.dueAt || !this.#timeline.has(this)) this.#timeline.set(this, startAt);
  }

  /** Who polls next, and when at the earliest; `undefined` where nobody wants to, or as long as there is no place. */
  #next(): { poller: Poller; at: number } | undefined {
    const { limit, pausedUntil, probe } = this.#throttle;
    const urgent = this.#urgent.first;
    if (urgent !== undefined && this.#inFlight < mostInFlight)
      return { poller: urgent, at: Number.NEGATIVE_INFINITY };
    const poller = this.#pollers.first;
    if (poller === undefined || this.#inFlight >= limit) return undefined;
    const at = Math.max(poller.dueAt, pausedUntil);
    const isProbeFirst = probe !== undefined && this.#pollers.has(probe) && probe.dueAt < at;
    return isProbeFirst ? { poller: probe, at: probe.dueAt } : { poller, at };
  }
}
