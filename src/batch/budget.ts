import type { SetState } from "../durable/set-state.js";
import { highestSetCost } from "../generated/values.js";
import { numberIn } from "../text/figures.js";

/**
 * What the sets of a batch cost, over all its runs. The service tells the price of a set only when it accepts one, so
 * with a limit, creates are sent one at a time: each knows what all before it did cost.
 */
export class Budget {
  /** The sum of the costs that acceptances named. */
  #priced = 0;
  /** How many sets were accepted without a cost. */
  #unpriced = 0;
  /** How many sets may have been charged. */
  #uncertain = 0;
  /** The highest price of a set that is known, which the next one may cost: the document's, or an acceptance's. */
  #price = highestSetCost;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(readonly most: number) {}

  /** Counts an order. */
  count(state: SetState): void {
    if (state.step === "sending" || state.step === "uncertain") {
      this.countUncertain();
      return;
    }
    const cost = numberIn(state.credits?.cost);
    if (cost >= 0) {
      this.#priced += cost;
      this.#price = Math.max(this.#price, cost);
    } else this.#unpriced++;
  }

  /** Counts a set that may just have been charged. */
  countUncertain(): void {
    this.#uncertain++;
  }

  /** What the accepted sets did cost. */
  get spent(): number {
    return this.#priced + this.#unpriced * this.price;
  }

  /** What the uncertain sets may have cost. */
  get maybeSpent(): number {
    return this.#uncertain * this.price;
  }

  /** What a set counts whose cost is not known, and what the next one may cost. */
  get price(): number {
    return this.#price;
  }

  /** Whether so many more sets stay within the limit. */
  hasRoomFor(count: number): boolean {
    return this.spent + this.maybeSpent + count * this.price <= this.most;
  }

  /** Sends a create; where there is a limit, only once the one before has ended. */
  async inTurn<Value>(send: () => Promise<Value>): Promise<Value> {
    if (this.most === Number.POSITIVE_INFINITY) return send();
    const sent = this.#turn.then(send);
    this.#turn = sent.catch(() => {});
    return sent;
  }
}
