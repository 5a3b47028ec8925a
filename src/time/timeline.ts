import { after, type Clock } from "./clock.js";
import { type Due, DueHeap } from "./due-heap.js";

/** Something that wants to be woken at a time of the clock. */
export interface TimelineEntry extends Due {
  wake(now: number): void;
}

/** How many are woken before the event loop has its turn. */
const mostWokenAtOnce = 256;

const never = Number.POSITIVE_INFINITY;

/** Wakes many things, each at its time, with a single timer. */
export class Timeline {
  readonly #clock: Clock;
  readonly #onBrokenClock: (broken: { cause: unknown }) => void;
  readonly #heap = new DueHeap<TimelineEntry>();
  #armedFor = never;
  #cancel = () => {};
  #isWaking = false;

  /** @param onBrokenClock called when the clock lets no time pass, so that nobody will be woken */
  constructor(clock: Clock, onBrokenClock: (broken: { cause: unknown }) => void) {
    this.#clock = clock;
    this.#onBrokenClock = onBrokenClock;
  }

  /** Wakes `entry` at `dueAt`, and no longer at the time that it had before. */
  set(entry: TimelineEntry, dueAt: number): void {
    this.#heap.set(entry, dueAt);
    this.#arm();
  }

  /** Whether `entry` is to be woken. */
  has(entry: TimelineEntry): boolean {
    return this.#heap.has(entry);
  }

  delete(entry: TimelineEntry): void {
    this.#heap.delete(entry);
    this.#arm();
  }

  /** A timer that became too early is left as it is: it goes off and is set anew. With nobody to wake there is none. */
  #arm(): void {
    const next = this.#heap.first?.dueAt ?? never;
    if (this.#isWaking || (next >= this.#armedFor && next < never)) return;
    this.#cancel();
    this.#armedFor = next;
    this.#cancel = after(this.#clock, Math.max(0, next - this.#clock.now()), (broken) => {
      if (broken) this.#onBrokenClock(broken);
      else this.#wake();
    });
  }

  /** A timer may also come early by part of a millisecond; what is not due then is woken by the next one. */
  #wake(): void {
    this.#armedFor = never;
    this.#isWaking = true;
    try {
      const now = this.#clock.now();
      for (const entry of this.#takeDue(now)) {
        // One that was set again on the way is woken at its new time, in a later turn of the event loop.
        if (!this.has(entry)) entry.wake(now);
      }
    } finally {
      this.#isWaking = false;
      this.#arm();
    }
  }

  #takeDue(now: number): TimelineEntry[] {
    const due: TimelineEntry[] = [];
    for (let { first } = this.#heap; first !== undefined && first.dueAt <= now; { first } = this.#heap) {
      if (due.length === mostWokenAtOnce) break;
      this.#heap.delete(first);
      due.push(first);
    }
    return due;
  }
}
