import { count } from "../../options/read-options.js";
import { checkedValue } from "../read-mock-options.js";

/** The credits of an account in the current month of the mock's clock. */
export interface Credits {
  /** Credits left. */
  readonly remaining: number;
  /** Credits charged this month, minus refunds of them. */
  readonly used: number;
  /** Sets the credits left for this month. Adds no row and does not change `used`, because nothing is charged. */
  set(remaining: number): void;
  /** Every charge and refund since the start, oldest first. */
  ledger(): LedgerRow[];
}

/** One movement of an account's credits. */
export interface LedgerRow {
  /** The time in milliseconds since 1970 (UTC) on the mock's clock. */
  time: number;
  /** The change of the remaining credits: below 0 for what was charged, above for a refund. */
  amount: number;
  /** The job that was charged or refunded; undefined for an app. */
  jobId: string | undefined;
  /** Identifies the key without revealing it. A refund has the key that was charged. */
  keyId: string;
}

/** The credits of one account: a monthly allowance without carry-over, and a row for each movement. */
export class Ledger implements Credits {
  readonly #now: () => number;
  readonly #nextSequence: () => number;
  readonly #postDue: () => void;
  #rows: (LedgerRow & { sequence: number })[] = [];
  #balance: ReturnType<typeof freshBalance>;

  /**
   * @param nextSequence returns the place of the next row in the order of all accounts
   * @param postDue called before the credits are read, to post refunds that have fallen due
   */
  constructor(
    readonly allowance: number,
    now: () => number,
    nextSequence: () => number,
    postDue: () => void,
  ) {
    this.#now = now;
    this.#nextSequence = nextSequence;
    this.#postDue = postDue;
    this.#balance = freshBalance(allowance, now());
  }

  get remaining(): number {
    return this.#current().remaining;
  }

  get used(): number {
    return this.#current().used;
  }

  readonly set = (remaining: number): void => {
    this.#current().remaining = checkedValue("remaining", remaining, count());
  };

  readonly ledger = (): LedgerRow[] => {
    this.#current();
    return this.#rows.map(({ sequence, ...row }) => row);
  };

  /** The newest rows, oldest first. */
  newest(limit: number): readonly Readonly<LedgerRow & { sequence: number }>[] {
    this.#current();
    return this.#rows.slice(-limit);
  }

  covers(credits: number): boolean {
    return credits <= this.#current().remaining;
  }

  /** Charges credits and returns how many are left. */
  charge(credits: number, { time, jobId, keyId }: Omit<LedgerRow, "amount">): number {
    const balance = this.#balance;
    this.#rows.push({ time, amount: -credits, jobId, keyId, sequence: this.#nextSequence() });
    balance.remaining -= credits;
    balance.used += credits;
    return balance.remaining;
  }

  /** Refunds credits that were charged at `chargedAt`. */
  refund(credits: number, chargedAt: number, { time, jobId, keyId }: Omit<LedgerRow, "amount">): void {
    const balance = this.#balanceAt(time);
    this.#rows.push({ time, amount: credits, jobId, keyId, sequence: this.#nextSequence() });
    // Credits of an earlier month would have lapsed by now, so returning them would create new ones.
    if (monthOf(chargedAt) !== balance.month) return;
    balance.remaining += credits;
    balance.used -= credits;
    balance.refunded += credits;
  }

  /** Whether the remaining credits include refunds. */
  hasRefunds(): boolean {
    return this.#balance.refunded > 0;
  }

  reset(): void {
    this.#rows = [];
    this.#balance = freshBalance(this.allowance, this.#now());
  }

  #current() {
    this.#postDue();
    return this.#balanceAt(this.#now());
  }

  #balanceAt(time: number) {
    if (monthOf(time) !== this.#balance.month) this.#balance = freshBalance(this.allowance, time);
    return this.#balance;
  }
}

/** The initial balance of the month of `time`. */
function freshBalance(allowance: number, time: number) {
  return { month: monthOf(time), remaining: allowance, used: 0, refunded: 0 };
}

/** The UTC calendar month of a time, as one number. */
function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
