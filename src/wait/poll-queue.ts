import { RateLimitError } from "../errors/errors.js";
import type { Log } from "../secrets/log.js";
import { type Due, DueHeap } from "../time/due-heap.js";
import type { Sleeper, Timeline } from "../time/timeline.js";
import { mostInFlight, SlowDown } from "./throttle.js";

/** Who polls: at most once at a time. */
export interface Poller extends Due {
  /** Begins a poll, which then ends with a call of the queue's `end`; `false` where none is wanted any longer. */
  start(now: number): boolean;
}

/** Polls that are started before the event loop has its turn. */
const mostStartedAtOnce = 16;

/** No clock shows so much time, in milliseconds: whoever is due that much earlier comes before all others. */
const agesMs = 2 ** 43;

/**
 * The polls of a client, in the order in which they are due: so many at a time and no more. Last polls before a
 * deadline come first, and do not heed a slow-down.
 */
export class PollQueue implements Sleeper {
  dueAt = Number.POSITIVE_INFINITY;
  place = -1;
  readonly #timeline: Timeline;
  readonly #log: Log;
  readonly #pollers = new DueHeap<Poller>();
  readonly #slowDown = new SlowDown<Poller>();
  #inFlight = 0;

  constructor(timeline: Timeline, log: Log) {
    this.#timeline = timeline;
    this.#log = log;
  }

  /** Lets `poller` poll at `dueAt` or as soon after it as there is room, and no longer when it wanted to before. */
  set(poller: Poller, dueAt: number): void {
    this.#pollers.set(poller, dueAt);
    this.#schedule();
  }

  /** Lets `poller` poll before all others but those with an earlier deadline. */
  setLast(poller: Poller, deadline: number): void {
    this.set(poller, Math.min(poller.place < 0 ? Number.POSITIVE_INFINITY : poller.dueAt, deadline - agesMs));
  }

  delete(poller: Poller): void {
    this.#pollers.delete(poller);
    this.#schedule();
  }

  /** Starts the poll of `poller` without a turn of the event loop, if it is due, has room and nobody comes before it. */
  startNow(poller: Poller, now: number): void {
    if (this.#next(now) === poller) this.#start(poller, now);
  }

  /** Starts some of what is due and has room. The rest follows after a turn of the event loop, or when others end. */
  wake(now: number): void {
    for (let left = mostStartedAtOnce; left > 0; left--) {
      const next = this.#next(now);
      if (next === undefined) break;
      this.#start(next, now);
    }
    this.#schedule();
  }

  /** Ends the poll of `poller`, which was sent at `sentAt`: with a good answer, with an error or for want of interest. */
  end(poller: Poller, sentAt: number, now: number, outcome: "answered" | "left" | { error: unknown }): void {
    this.#inFlight--;
    if (outcome === "answered") this.#slowDown.accepted(sentAt);
    else if (outcome !== "left" && outcome.error instanceof RateLimitError) {
      const { retryAfterMs } = outcome.error;
      const delayMs = this.#slowDown.refused(poller, sentAt, now, retryAfterMs);
      if (delayMs !== undefined) this.#log.warn("All polls slow down after a 429", { delayMs });
    }
    this.#schedule();
  }

  #start(poller: Poller, now: number): void {
    this.#pollers.delete(poller);
    this.#inFlight++;
    if (!poller.start(now)) this.#inFlight--;
    this.#schedule();
  }

  #next(now: number): Poller | undefined {
    const { first } = this.#pollers;
    if (first === undefined) return undefined;
    if (isLast(first)) return this.#inFlight < mostInFlight ? first : undefined;
    if (this.#inFlight >= this.#slowDown.limit) return undefined;
    if (first.dueAt <= now && this.#slowDown.pausedUntil <= now) return first;
    const { probe } = this.#slowDown;
    return probe !== undefined && probe.place >= 0 && probe.dueAt <= now ? probe : undefined;
  }

  #schedule(): void {
    const startAt = this.#startAt();
    if (startAt === Number.POSITIVE_INFINITY) this.#timeline.delete(this);
    else if (startAt !== this.dueAt || this.place < 0) this.#timeline.set(this, startAt);
  }

  /** When the next poll can start; never, as long as there is no room. */
  #startAt(): number {
    const { first } = this.#pollers;
    const { limit, pausedUntil, probe } = this.#slowDown;
    if (first === undefined || this.#inFlight >= (isLast(first) ? mostInFlight : limit)) {
      return Number.POSITIVE_INFINITY;
    }
    if (isLast(first)) return first.dueAt;
    const startAt = Math.max(first.dueAt, pausedUntil);
    return probe !== undefined && probe.place >= 0 ? Math.min(startAt, probe.dueAt) : startAt;
  }
}

function isLast({ dueAt }: Poller): boolean {
  return dueAt < -agesMs / 2;
}
