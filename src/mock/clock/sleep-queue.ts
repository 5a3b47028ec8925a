import { abortable } from "../../time/abortable.js";
import { type Due, DueHeap } from "../../time/due-heap.js";

/** A time and the callbacks that are due then, in the order in which they were added. */
interface Moment extends Due {
  wakers: Set<() => void>;
}

/** The pending sleeps on one clock. Sleeps that are due at the same time end in the order in which they began. */
export class SleepQueue {
  #heap = new DueHeap<Moment>();
  #moments = new Map<number, Moment>();

  /** @param onChange called when a sleep begins or is aborted */
  constructor(private readonly onChange: () => void) {}

  /** When the next sleep is due; infinity if there is none. */
  get nextDueAt(): number {
    return this.#heap.first?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  /** Resolves when woken, or rejects with the signal's reason on abort. Leaves no listener either way. */
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

  /** Ends all sleeps that are due by `time`. */
  wake(time: number): void {
    for (let first = this.#heap.first; first && first.dueAt <= time; first = this.#heap.first) {
      this.#forget(first);
      for (const wake of first.wakers) wake();
    }
  }

  /** Forgets all sleeps. They never resolve, but can still be aborted. */
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
