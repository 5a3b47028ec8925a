import type { SetState } from "../durable/set-state.js";
import { numberIn } from "../figures.js";
import { setCost } from "../generated/values.js";

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
  /** What the last set did cost that this run saw accepted. */
  #lastPrice: number | undefined;
  /** The highest cost that an acceptance in the store names. */
  #storedPrice: number | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(readonly most: number) {}

  /** Counts what the store has of an order. */
  countStored(state: SetState): void {
    const cost = this.#count(state);
    if (cost !== undefined) this.#storedPrice = Math.max(cost, this.#storedPrice ?? 0);
  }

  /** Counts a set that was just accepted. */
  countAccepted(state: SetState): void {
    this.#lastPrice = this.#count(state) ?? this.#lastPrice;
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

  /** What the next set is expected to cost. */
  get price(): number {
    return this.#lastPrice ?? this.#storedPrice ?? setCost;
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

  #count(state: SetState): number | undefined {
    if (state.step === "sending" || state.step === "uncertain") {
      this.countUncertain();
      return undefined;
    }
    const cost = numberIn(state.credits?.cost);
    if (!(cost >= 0)) {
      this.#unpriced++;
      return undefined;
    }
    this.#priced += cost;
    return cost;
  }
}
