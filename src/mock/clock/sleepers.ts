/** Somebody who sleeps. */
interface Sleeper {
  readonly dueAt: number;
  wake(): void;
}

/** Those who sleep on a clock: the one due first comes first, and of those due at the same time who began first. */
export class Sleepers {
  #list: Sleeper[] = [];

  /** When the next one is due; infinity if nobody is. */
  get nextDueAt(): number {
    return this.#list[0]?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  /** Returns a function that takes the sleeper out again. */
  add(sleeper: Sleeper): () => void {
    this.#list.splice(this.#countDueBy(sleeper.dueAt), 0, sleeper);
    return () => {
      const place = this.#list.indexOf(sleeper);
      if (place >= 0) this.#list.splice(place, 1);
    };
  }

  /** Wakes everybody who is due by a time. */
  wake(time: number): void {
    for (const { wake } of this.#list.splice(0, this.#countDueBy(time))) wake();
  }

  /** Forgets everybody. They are never woken. */
  clear(): void {
    this.#list = [];
  }

  /** How many are due by a time. They are the first ones. */
  #countDueBy(time: number): number {
    let [from, to] = [0, this.#list.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#list[middle] as Sleeper).dueAt <= time) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
