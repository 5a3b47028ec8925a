import { wrongOption } from "../errors/wrong-option.js";
import { basePath } from "../generated/values.js";
import { count, flag, oneOf, optional, type Table } from "../options/read-options.js";
import type { Lifecycle } from "./lifecycle.js";
import { lifecycle, unchecked } from "./read-mock-options.js";
import { type Recorded, recordedOption } from "./service/recorded.js";
import { type Undocumented, undocumentedOption } from "./service/undocumented.js";

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

/** Options of `createMock`. */
export interface MockOptions extends AccountOptions {
  /**
   * The service's `{base_url}`. The mock answers only requests below it.
   * @default `https://api.screenshot-sets.test`, with the path of the service's base address
   */
  baseUrl?: string | undefined;
  /**
   * `"virtual"` starts at 2026-01-01T00:00:00Z, stands still while requests are handled or a client reads its key, and
   * then jumps to whatever is due next. `"system"` begins at the system's time and runs on the global `performance.now` and `setTimeout`.
   * @default "virtual"
   */
  clock?: "virtual" | "system" | undefined;
  /**
   * Put before the id of every app and job, so that a database that outlives the mock meets no id twice: without it, the
   * mock gives the same ids on every run and after each reset.
   * @default ""
   */
  idPrefix?: string | undefined;
  /** Replaces what the mock fills in where the service's document leaves something open. */
  undocumented?: Undocumented | undefined;
  /**
   * What `screenshot-sets verify --out FILE` saw of the real service, as JSON. It comes after `undocumented`, and before
   * what the mock would make up.
   */
  recorded?: Recorded | undefined;
  /**
   * Rejects instead of filling in what `undocumented` does not configure and `recorded` does not hold. Through msw and
   * over HTTP, which cannot reject, the mock answers with a 418 that names it.
   * @default false
   */
  strict?: boolean | undefined;
}

/** The options of an account. */
export const accountTable = {
  apiKey: unchecked<string>(),
  allowance: optional(count()),
  lifecycle: optional(lifecycle),
} satisfies Table<AccountOptions>;

/** The options of a mock. */
export const mockTable = {
  ...accountTable,
  // Without a trailing slash.
  baseUrl: (given = `https://api.screenshot-sets.test${basePath}`) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isPlain = url && !(url.username || url.password || url.search || url.hash);
    if (isPlain && /^https?:$/.test(url.protocol)) return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
    throw wrongOption("`baseUrl`", "an http or https URL without user information, query or fragment", given);
  },
  clock: oneOf(["virtual", "system"], "virtual"),
  // It stands in paths.
  idPrefix: (given = "") => {
    if (typeof given === "string" && /^[\w.:~-]*$/.test(given)) return given;
    throw wrongOption("`idPrefix`", "letters, digits and any of `_ . : ~ -`", given);
  },
  undocumented: undocumentedOption,
  recorded: recordedOption,
  strict: flag,
} satisfies Table<MockOptions>;
