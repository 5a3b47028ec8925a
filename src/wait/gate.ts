/** Something that polls, with at most one poll in flight. */
export interface Poller {
  /** Begins a poll, unless nobody needs it any more. Returns whether one has begun. */
  start(): boolean;
}

/** Lets so many pollers poll at a time, in the order in which their polls became due. */
export class Gate {
  readonly #due = new Set<Poller>();
  readonly #inside = new Set<Poller>();

  constructor(private readonly places: number) {}

  /** Starts `poller`, now or when a place becomes free. Call it when its poll is due. */
  enter(poller: Poller): void {
    this.#due.add(poller);
    this.#admit();
  }

  /** Gives up the place of `poller`, or its turn. */
  leave(poller: Poller): void {
    this.#due.delete(poller);
    if (this.#inside.delete(poller)) this.#admit();
  }

  #admit(): void {
    for (const poller of this.#due) {
      if (this.#inside.size >= this.places) return;
      this.#due.delete(poller);
      // Taken before the start, which may run a user's function that ends this wait and others.
      this.#inside.add(poller);
      if (!poller.start()) this.#inside.delete(poller);
    }
  }
}
