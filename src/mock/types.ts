import type { Listener, ListenOptions } from "./carriers/listen.js";
import type { MockClock } from "./clock/mock-clock.js";
import type { Fault, FaultTarget } from "./engine/faults.js";
import type { JournalEntry } from "./engine/journal.js";
import type { AccountOptions } from "./mock-options.js";
import type { JobPlan } from "./service/job-plan.js";
import type { Jobs } from "./service/job-store.js";
import type { Keys } from "./service/keys.js";
import type { Credits } from "./service/ledger.js";
import type { OperationName } from "./service/routes.js";

/** Which requests `mock.requests` returns. */
export interface RequestsFilter {
  /** @default every operation, and requests for none */
  operation?: OperationName | undefined;
  /**
   * One that `mock.account` created, or the mock itself for its first account.
   * @default every account, and requests without a valid key
   */
  account?: MockAccount | undefined;
}

/** The requests to which a fault applies. */
export interface FaultOptions extends FaultTarget {
  /**
   * One that `mock.account` created, or the mock itself for its first account.
   * @default every account
   */
  account?: MockAccount | undefined;
}

/** What a client needs to run against the mock: `new ScreenshotSets(mock.clientOptions)`. */
export interface MockClientOptions {
  /** The account's first key. */
  apiKey: string;
  /** The mock's base URL. */
  baseUrl: string;
  /** Answers in place of the service. Never uses the network. */
  fetch: typeof globalThis.fetch;
  /** The mock's clock, so that a wait takes no real time while it is virtual. */
  clock: MockClock;
}

/** An account of the service. Accounts share only the mock's clock, base URL, faults and journal. */
export interface MockAccount {
  /** The options of a client of this account. */
  readonly clientOptions: MockClientOptions;
  /** The account's credits, and a ledger of how they were spent. */
  readonly credits: Credits;
  /** The account's keys. */
  readonly keys: Keys;
  /** The account's jobs. Reading them here does not count as a poll. */
  readonly jobs: Jobs;
  /** Plans the next accepted job. Plans are used in the order in which they were given; refused requests use none. */
  nextJob(plan: JobPlan): void;
}

/** The whole service in memory. The members of `MockAccount` are those of its first account. */
export interface Mock extends MockAccount {
  /** The mock's time. */
  readonly clock: MockClock;
  /**
   * Answers a request as the service would. The OpenAPI document, at `/public/openapi.json`, needs no key.
   *
   * @param options `hasOwnClock: true` for a client that does not wait on the mock's clock: while a job that proceeds
   *   with polls has not ended, the answer carries `Retry-After: 0`, so that the client does not wait in real time
   */
  handle(request: Request, options?: { hasOwnClock?: boolean | undefined }): Promise<Response>;
  /** `handle` with the signature of `globalThis.fetch`, for injection into a client. Never uses the network. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Serves the mock over HTTP, on loopback unless another `host` is given, for clients that cannot be given a `fetch`,
   * such as those in other processes and languages. The OpenAPI document is at `{url}/public/openapi.json` and needs no
   * key.
   *
   * Such clients have their own clock. Lifecycles in polls need no clock; lifecycles in milliseconds and `latencyMs`
   * run on the mock's clock, so use `clock: "system"` or move the clock with `clock.advance`.
   */
  listen(options?: ListenOptions): Promise<Listener>;
  /** Creates another account, to isolate tests. Missing options, except the key, default to those of the first one. */
  account(options?: AccountOptions): MockAccount;
  /** Makes requests fail. If several faults match a request, the one that was added first is used. */
  fault(fault: Fault, options?: FaultOptions): void;
  /** The newest 10,000 requests, oldest first: all of them, or those for an operation or of an account. */
  requests(filter?: RequestsFilter): JournalEntry[];
  /**
   * Resets the mock to its initial state, including clock and ids: the same steps give the same ids again. Accounts and
   * keys that were created later are removed. Pending sleeps never resolve and clients on this clock abandon their
   * waits, so that nothing carries over into the next test.
   */
  reset(): void;
}
