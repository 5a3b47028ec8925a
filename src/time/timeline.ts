import { after, type Clock } from "./clock.js";
import { type Due, DueHeap } from "./due-heap.js";

/** Something to wake at a time of the clock. */
export interface TimelineEntry extends Due {
  wake(now: number): void;
}

/** How many entries are woken in one turn of the event loop. */
const mostWokenAtOnce = 256;

const never = Number.POSITIVE_INFINITY;

/** Wakes many entries, each at its time, with a single timer. */
export class Timeline {
  readonly #heap = new DueHeap<TimelineEntry>();
  #armedFor = never;
  #cancel = () => {};
  #isWaking = false;

  /** @param onBrokenClock called when the clock lets no time pass, so that no entry will be woken */
  constructor(
    private readonly clock: Clock,
    private readonly onBrokenClock: (broken: { cause: unknown }) => void,
  ) {}

  /** Schedules `entry` for `dueAt`, replacing any earlier time; `Infinity` for never. */
  set(entry: TimelineEntry, dueAt: number): void {
    this.#heap.set(entry, dueAt);
    this.#arm();
  }

  /** Schedules a new entry. Sets the timer again, since fake timers that were cleared or uninstalled never fire. */
  add(entry: TimelineEntry, dueAt: number): void {
    this.#armedFor = never;
    this.set(entry, dueAt);
  }

  delete(entry: TimelineEntry): void {
    this.#heap.delete(entry);
    this.#arm();
  }

  /** Sets the timer. One that is now too early is kept: it fires and is set again. Without entries, there is none. */
  #arm(): void {
    const next = this.#heap.first?.dueAt ?? never;
    if (this.#isWaking || (next >= this.#armedFor && next < never)) return;
    this.#cancel();
    this.#armedFor = next;
    this.#cancel = after(this.clock, Math.max(0, next - this.clock.now()), (broken) => {
      if (broken) this.onBrokenClock(broken);
      else this.#wake();
    });
  }

  /** Wakes due entries. A timer may fire a fraction of a millisecond early: the next one wakes what is not due yet. */
  #wake(): void {
    this.#armedFor = never;
    this.#isWaking = true;
    try {
      const now = this.clock.now();
      for (const entry of this.#heap.takeDue(now, mostWokenAtOnce)) {
        // An entry that was rescheduled meanwhile is woken at its new time, in a later turn of the event loop.
        if (!this.#heap.has(entry)) entry.wake(now);
      }
    } finally {
      this.#isWaking = false;
      this.#arm();
    }
  }
}
