import { after, type Clock } from "./clock.js";

/** Something that wants to be woken at a time of the clock. */
export interface Due {
  /** When, on the clock's time; `Infinity` for never. Change it through `Timeline.set` only. */
  dueAt: number;
  /** Its place in the heap, -1 while it is in none. Belongs to the timeline. */
  place: number;
  wake(now: number): void;
}

/** Wakes many things, each at its time, with a single timer: a binary heap, the earliest on top. */
export class Timeline {
  readonly #clock: Clock;
  readonly #heap: Due[] = [];
  #armedFor = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wakes `entry` at `dueAt`, and no longer at the time that it had before. */
  set(entry: Due, dueAt: number): void {
    entry.dueAt = dueAt;
    if (entry.place < 0) {
      entry.place = this.#heap.length;
      this.#heap.push(entry);
    }
    this.#down(this.#up(entry));
    this.#arm();
  }

  delete(entry: Due): void {
    if (entry.place < 0) return;
    const last = this.#heap.pop() as Due;
    if (last !== entry) {
      this.#put(last, entry.place);
      this.#down(this.#up(last));
    }
    entry.place = -1;
    this.#arm();
  }

  #arm(): void {
    const next = this.#heap[0]?.dueAt ?? Number.POSITIVE_INFINITY;
    if (next === this.#armedFor) return;
    this.#cancel?.();
    this.#armedFor = next;
    this.#cancel =
      next === Number.POSITIVE_INFINITY
        ? undefined
        : after(this.#clock, Math.max(0, next - this.#clock.now()), () => this.#wake());
  }

  /** A timer may come early by part of a millisecond; what is not due then is woken by the next one. */
  #wake(): void {
    this.#cancel = undefined;
    const now = this.#clock.now();
    for (let first = this.#heap[0]; first !== undefined && first.dueAt <= now; first = this.#heap[0]) {
      this.delete(first);
      first.wake(now);
    }
    this.#armedFor = Number.NaN;
    this.#arm();
  }

  #up(entry: Due): Due {
    for (let place = entry.place; place > 0; ) {
      const above = (place - 1) >> 1;
      const parent = this.#heap[above] as Due;
      if (parent.dueAt <= entry.dueAt) break;
      this.#put(parent, place);
      this.#put(entry, above);
      place = above;
    }
    return entry;
  }

  #down(entry: Due): void {
    for (;;) {
      const left = 2 * entry.place + 1;
      const first = this.#heap[left];
      const second = this.#heap[left + 1];
      const child =
        second !== undefined && first !== undefined && second.dueAt < first.dueAt ? second : first;
      if (child === undefined || child.dueAt >= entry.dueAt) return;
      const { place } = entry;
      this.#put(entry, child.place);
      this.#put(child, place);
    }
  }

  #put(entry: Due, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }
}
