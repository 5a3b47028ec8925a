/** Everyone who sleeps on one clock, ordered by when they are due, then by when they lay down. */
export interface Sleepers {
  /** Sleeps until woken; rejects with the signal's reason on abort, and leaves no listener either way. */
  add(dueAt: number, signal?: AbortSignal): Promise<void>;
  /** When the first one is due; infinity when nobody is. */
  nextDueAt(): number;
  /** Wakes all that are due by `time`. */
  wake(time: number): void;
  /** Forgets them all: they can still be aborted, and never wake. */
  clear(): void;
}

interface Sleeper {
  dueAt: number;
  order: number;
  /** Place in the heap, so that an abort need not search for it; -1 outside. */
  index: number;
  wake(): void;
}

/** A binary heap; `onChange` is called when someone lies down or is aborted. */
export function createSleepers(onChange: () => void): Sleepers {
  let heap: Sleeper[] = [];
  let order = 0;

  function remove(sleeper: Sleeper) {
    const { index } = sleeper;
    if (index === -1) return;
    sleeper.index = -1;
    const last = heap.pop() as Sleeper;
    if (last === sleeper) return;
    place(heap, last, index);
    siftUp(heap, last);
    siftDown(heap, last);
  }

  return {
    add(dueAt, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const sleeper: Sleeper = { dueAt, order: order++, index: -1, wake };
        function wake() {
          signal?.removeEventListener("abort", abort);
          resolve();
        }
        function abort() {
          remove(sleeper);
          reject(signal?.reason);
          onChange();
        }
        signal?.addEventListener("abort", abort, { once: true });
        place(heap, sleeper, heap.length);
        siftUp(heap, sleeper);
        onChange();
      });
    },
    nextDueAt: () => heap[0]?.dueAt ?? Number.POSITIVE_INFINITY,
    wake(time) {
      for (let first = heap[0]; first && first.dueAt <= time; first = heap[0]) {
        remove(first);
        first.wake();
      }
    },
    clear() {
      for (const sleeper of heap) sleeper.index = -1;
      heap = [];
    },
  };
}

function place(heap: Sleeper[], sleeper: Sleeper, index: number) {
  heap[index] = sleeper;
  sleeper.index = index;
}

function isBefore(one: Sleeper, other: Sleeper): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);
}

function siftUp(heap: Sleeper[], sleeper: Sleeper) {
  while (sleeper.index > 0) {
    const { index } = sleeper;
    const parent = heap[(index - 1) >> 1] as Sleeper;
    if (!isBefore(sleeper, parent)) return;
    place(heap, sleeper, parent.index);
    place(heap, parent, index);
  }
}

function siftDown(heap: Sleeper[], sleeper: Sleeper) {
  for (;;) {
    const { index } = sleeper;
    let child = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    if (right && isBefore(right, child as Sleeper)) child = right;
    if (!child || !isBefore(child, sleeper)) return;
    place(heap, sleeper, child.index);
    place(heap, child, index);
  }
}
