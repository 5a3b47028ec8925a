import { abortable } from "../../time/abortable.js";
import { type Due, DueHeap } from "../../time/due-heap.js";

/** A time with what is to be called then, in the order in which it was asked for. */
interface Moment extends Due {
  wakers: Set<() => void>;
}

/** Everyone who sleeps on one clock. Who is due at the same time wakes in the order of lying down. */
export class SleepQueue {
  #heap = new DueHeap<Moment>();
  #moments = new Map<number, Moment>();

  /** @param onChange called when someone lies down or is aborted */
  constructor(private readonly onChange: () => void) {}

  /** When the first one is due; infinity when nobody is. */
  get nextDueAt(): number {
    return this.#heap.first?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  /** Sleeps until woken; rejects with the signal's reason on abort, and leaves no listener either way. */
  sleep(dueAt: number, signal?: AbortSignal): Promise<void> {
    return abortable(signal, (wake) => {
      const moment = this.#momentAt(dueAt);
      moment.wakers.add(wake);
      this.onChange();
      return () => {
        moment.wakers.delete(wake);
        if (moment.wakers.size > 0 || !this.#heap.has(moment)) return;
        this.#forget(moment);
        this.onChange();
      };
    });
  }

  /** Wakes all that are due by `time`. */
  wake(time: number): void {
    for (let first = this.#heap.first; first && first.dueAt <= time; first = this.#heap.first) {
      this.#forget(first);
      for (const wake of first.wakers) wake();
    }
  }

  /** Forgets them all: they can still be aborted, and never wake. */
  clear(): void {
    this.#heap = new DueHeap();
    this.#moments = new Map();
  }

  #momentAt(dueAt: number): Moment {
    const present = this.#moments.get(dueAt);
    if (present) return present;
    const moment = { dueAt, place: -1, wakers: new Set<() => void>() };
    this.#moments.set(dueAt, moment);
    this.#heap.set(moment, dueAt);
    return moment;
  }

  #forget(moment: Moment): void {
    this.#heap.delete(moment);
    this.#moments.delete(moment.dueAt);
  }
}
