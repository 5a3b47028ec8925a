import type { Listener, ListenOptions } from "./carriers/listen.js";
import type { MockClock } from "./clock/mock-clock.js";
import type { Fault, FaultOptions } from "./engine/faults.js";
import type { JournalEntry } from "./engine/journal.js";
import type { Undocumented } from "./service/guesses.js";
import type { JobPlan } from "./service/job-plan.js";
import type { Jobs } from "./service/job-store.js";
import type { Keys } from "./service/keys.js";
import type { Credits } from "./service/ledger.js";
import type { Lifecycle } from "./service/lifecycle.js";
import type { OperationName } from "./service/routes.js";

/** How one account of the mock begins. */
export interface AccountOptions {
  /**
   * The account's first key: visible ASCII.
   * @default a key of its own, the same on every run
   */
  apiKey?: string | undefined;
  /**
   * Credits that the account may spend in one UTC calendar month of the mock's clock; its keys share them.
   * @default 100
   */
  allowance?: number | undefined;
  /**
   * How the account's jobs proceed.
   * @default { queued: 1, running: 1, unit: "polls" }
   */
  lifecycle?: Lifecycle | undefined;
}

/** What `createMock` takes. */
export interface MockOptions extends AccountOptions {
  /**
   * The service's `{base_url}`. Nothing outside it is answered.
   * @default "https://api.screenshot-sets.test/api/v1"
   */
  baseUrl?: string | undefined;
  /**
   * `"virtual"` starts at 2026-01-01T00:00:00Z, stands still while requests are worked on or a client reads its key, and
   * jumps to whatever is due next once they are answered. `"system"` is the system's time, on the global `Date` and `setTimeout`.
   * @default "virtual"
   */
  clock?: "virtual" | "system" | undefined;
  /** What to put in the place of the mock's guesses about what the service does not document. */
  undocumented?: Undocumented | undefined;
  /**
   * Rejects instead of answering with a guess that `undocumented` does not configure. Through msw and over HTTP, where
   * there is only an answer, that is a 418 which names the guess.
   * @default false
   */
  strict?: boolean | undefined;
}

/** What a client needs to run against the mock: `new ScreenshotSets(mock.clientOptions)`. */
export interface MockClientOptions {
  /** The account's first key. */
  apiKey: string;
  /** The mock's base URL. */
  baseUrl: string;
  /** Answers in the service's place. Never uses the network. */
  fetch: typeof globalThis.fetch;
  /** The mock's clock, so that a wait takes no real time while it is virtual. */
  clock: MockClock;
}

/** An account of the service; accounts share the mock's clock, base URL, faults and journal, and nothing else. */
export interface MockAccount {
  /** What a client of this account takes. */
  readonly clientOptions: MockClientOptions;
  /** The account's credits, and a ledger of what they were spent on. */
  readonly credits: Credits;
  /** The account's keys. */
  readonly keys: Keys;
  /** The account's jobs: looking at them here is no poll. */
  readonly jobs: Jobs;
  /** Decides how the next accepted job goes. Plans queue in order; refused requests use none up. */
  nextJob(plan: JobPlan): void;
}

/** The whole service in memory. The members of `MockAccount` are those of its first account. */
export interface Mock extends MockAccount {
  /** The mock's time. */
  readonly clock: MockClock;
  /** Answers a request as the service would; the OpenAPI document, at `/public/openapi.json`, without a key. */
  handle(request: Request): Promise<Response>;
  /** `handle` in the form of `globalThis.fetch`, for injecting into a client. Never uses the network. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Serves the same service over HTTP, on loopback only, for clients that are not handed a `fetch`: in other processes
   * and languages. The OpenAPI document is at `{url}/public/openapi.json`, for which no key is needed.
   *
   * Such clients keep a clock of their own. Jobs whose lifecycle runs on polls need none; one in milliseconds, and
   * `latencyMs`, run on the mock's clock: give it `clock: "system"`, or move it with `clock.advance`.
   */
  listen(options?: ListenOptions): Promise<Listener>;
  /** Makes a further account, for tests that must not see each other. What is not given is as for the first one. */
  account(options?: AccountOptions): MockAccount;
  /** Lets requests go wrong. Of several faults that fit a request, the first that was given is used. */
  fault(fault: Fault, options?: FaultOptions): void;
  /** The newest 10,000 requests, the oldest first. */
  requests(filter?: { operation?: OperationName | undefined }): JournalEntry[];
  /**
   * Back to the start, clock and ids included: the same steps give the same ids again. Accounts and keys that were
   * made later are gone. Whoever still sleeps never wakes, and waits of clients on this clock go on for nobody, so that
   * nothing left over reaches into the next test.
   */
  reset(): void;
}
