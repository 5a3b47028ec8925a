/** The credits of an account in the current month of the mock's clock. */
export interface Credits {
  /** Credits left. */
  readonly remaining: number;
  /** Credits charged this month, less those refunded of them. */
  readonly used: number;
  /** Sets what is left until the month ends. Writes no row and leaves `used` alone, since nothing was charged. */
  set(remaining: number): void;
  /** Every charge and refund since the start, the oldest first. */
  ledger(): LedgerRow[];
}

import { checkCredits } from "../checks.js";

/** One movement of an account's credits. */
export interface LedgerRow {
  /** When, in milliseconds since 1970 (UTC) of the mock's clock. */
  time: number;
  /** What it did to the credits left: -10 for an accepted set, 10 for its refund. */
  amount: number;
  /** The job that was charged or refunded; undefined for an app. */
  jobId: string | undefined;
  /** Names the key without revealing it. A refund names the key that was charged. */
  keyId: string;
}

/** A charge, or the refund of one. */
export interface Posting {
  credits: number;
  jobId?: string | undefined;
  keyId: string;
}

/** The credits of one account: a monthly allowance that does not add up, and a row for each movement. */
export interface Ledger {
  /** As tests see it. */
  credits: Credits;
  /** Whether enough is left for a charge. */
  covers(credits: number): boolean;
  /** Charges, and returns what is left. */
  charge(posting: Posting, now: number): number;
  /** Gives back what was charged at `chargedAt`. */
  refund(posting: Posting, chargedAt: number, now: number): void;
  /** Whether what is left includes refunds. */
  hasRefunds(): boolean;
  reset(): void;
}

/** `postDue` is called before the credits are looked at, to post the refunds that have fallen due. */
export function createLedger(allowance: number, now: () => number, postDue: () => void): Ledger {
  let rows: LedgerRow[] = [];
  let balance = fresh(now());

  function fresh(time: number) {
    return { month: monthOf(time), remaining: allowance, used: 0, refunded: 0 };
  }

  function turnTo(time: number) {
    if (monthOf(time) !== balance.month) balance = fresh(time);
  }

  /** The balance as it is now. */
  function current() {
    postDue();
    turnTo(now());
    return balance;
  }

  return {
    credits: {
      get remaining() {
        return current().remaining;
      },
      get used() {
        return current().used;
      },
      set(remaining) {
        current().remaining = checkCredits("remaining", remaining);
      },
      ledger() {
        current();
        return rows.map((row) => ({ ...row }));
      },
    },
    covers: (credits) => credits <= current().remaining,
    charge({ credits, jobId, keyId }, time) {
      rows.push({ time, amount: -credits, jobId, keyId });
      balance.remaining -= credits;
      balance.used += credits;
      return balance.remaining;
    },
    refund({ credits, jobId, keyId }, chargedAt, time) {
      turnTo(time);
      rows.push({ time, amount: credits, jobId, keyId });
      // What was charged in an earlier month would have lapsed unspent: giving it back now would invent credits.
      if (monthOf(chargedAt) !== balance.month) return;
      balance.remaining += credits;
      balance.used -= credits;
      balance.refunded += credits;
    },
    hasRefunds: () => balance.refunded > 0,
    reset() {
      rows = [];
      balance = fresh(now());
    },
  };
}

/** The UTC calendar month of a time, as one number. */
function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
