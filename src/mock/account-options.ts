import { count, optional, type Table } from "../options/read-options.js";
import type { Lifecycle } from "./lifecycle.js";
import { lifecycle } from "./lifecycle-option.js";
import { unchecked } from "./read-mock-options.js";

/** The initial settings of an account of the mock. */
export interface AccountOptions {
  /**
   * The account's first key: visible ASCII.
   * @default a generated key, unique to the account and the same on every run
   */
  apiKey?: string | undefined;
  /**
   * Credits that the account may spend in a UTC calendar month of the mock's clock. All its keys share them.
   * @default 100, or the price of ten sets if a set costs more than that
   */
  allowance?: number | undefined;
  /**
   * How the account's jobs proceed.
   * @default `"recorded"` if `recorded` has states, else `{ queued: 1, running: 1, unit: "polls" }`
   */
  lifecycle?: Lifecycle | undefined;
}

/** The options of an account. */
export const accountTable = {
  apiKey: unchecked<string>(),
  allowance: optional(count()),
  lifecycle: optional(lifecycle),
} satisfies Table<AccountOptions>;
