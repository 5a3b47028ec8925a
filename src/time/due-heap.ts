/** An entry of a heap, with its due time. */
export interface Due {
  /** When it is due, on the clock; `Infinity` for never. Changed only through its heap. */
  dueAt: number;
  /** Its index in the heap, or -1 if it is in none. Changed only by the heap. */
  place: number;
}

/** A binary heap with the earliest entry on top. Each entry knows its index, so that it can be moved and removed. */
export class DueHeap<Entry extends Due> {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** Whether `entry` is in this heap. */
  has(entry: Entry): boolean {
    return entry.place >= 0 && this.#entries[entry.place] === entry;
  }

  /** Adds `entry` at `dueAt`, or moves it there. */
  set(entry: Entry, dueAt: number): void {
    entry.dueAt = dueAt;
    if (!this.has(entry)) {
      entry.place = this.#entries.length;
      this.#entries.push(entry);
    }
    this.#down(this.#up(entry));
  }

  delete(entry: Entry): void {
    if (!this.has(entry)) return;
    const last = this.#entries.pop() as Entry;
    if (last !== entry) {
      this.#put(last, entry.place);
      this.#down(this.#up(last));
    }
    entry.place = -1;
  }

  /** Removes and returns the entries that are due, the earliest first, but at most so many. */
  takeDue(now: number, most = Number.POSITIVE_INFINITY): Entry[] {
    const due: Entry[] = [];
    for (let { first } = this; first && first.dueAt <= now && due.length < most; { first } = this) {
      this.delete(first);
      due.push(first);
    }
    return due;
  }

  #up(entry: Entry): Entry {
    while (entry.place > 0) {
      const { place } = entry;
      const parent = this.#entries[(place - 1) >> 1] as Entry;
      if (parent.dueAt <= entry.dueAt) break;
      this.#put(entry, parent.place);
      this.#put(parent, place);
    }
    return entry;
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = 2 * entry.place + 1;
      const first = this.#entries[left];
      const second = this.#entries[left + 1];
      const child = second !== undefined && second.dueAt < (first as Entry).dueAt ? second : first;
      if (child === undefined || child.dueAt >= entry.dueAt) return;
      const { place } = entry;
      this.#put(entry, child.place);
      this.#put(child, place);
    }
  }

  #put(entry: Entry, place: number): void {
    this.#entries[place] = entry;
    entry.place = place;
  }
}
