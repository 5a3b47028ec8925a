import type { SetState } from "../durable/set-state.js";
import { setCost } from "../generated/values.js";

/**
 * What the sets of a batch cost, over all its runs. The service tells the price of a set only when it accepts one, so
 * with a limit, creates are sent one at a time: each knows what all before it did cost.
 */
export class Budget {
  /** The sum of the costs that the service told. */
  #priced = 0;
  /** How many sets were charged, or maybe charged, and did not tell their cost. */
  #unpriced = 0;
  /** What the last accepted set did cost; before the first, what the document says. */
  #price = setCost;
  #priceAt = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly most: number) {}

  /** Counts a set that was charged, or may have been. */
  count(state: SetState): void {
    // Some documents write numbers as text.
    const cost = state.step === "accepted" ? Number.parseFloat(String(state.credits?.cost)) : Number.NaN;
    if (!(cost >= 0)) {
      this.countUnpriced();
      return;
    }
    this.#priced += cost;
    if (state.at < this.#priceAt) return;
    this.#price = cost;
    this.#priceAt = state.at;
  }

  /** Counts a set whose cost is not known, at the last price. */
  countUnpriced(): void {
    this.#unpriced++;
  }

  /** What all counted sets cost together. */
  get cost(): number {
    return this.#priced + this.#unpriced * this.#price;
  }

  /** Whether one more set does not pass the limit. */
  get hasRoom(): boolean {
    return this.cost + this.#price <= this.most;
  }

  /** Runs what sends a create, if there is a limit after what was sent before. */
  async inTurn<Value>(send: () => Promise<Value>): Promise<Value> {
    if (this.most === Number.POSITIVE_INFINITY) return send();
    const sent = this.#turn.then(send);
    this.#turn = sent.catch(() => {});
    return sent;
  }
}
