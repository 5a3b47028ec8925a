/**
 * The whole service in memory, for tests: stateful, on a clock of its own, without a network.
 *
 * @example
 * ```ts
 * import { ScreenshotSets } from "screenshot-sets";
 * import { createMock } from "screenshot-sets/mock";
 *
 * const mock = createMock({ allowance: 20 });
 * const client = new ScreenshotSets(mock.clientOptions);
 * const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
 * await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });
 * console.log(mock.credits.remaining); // 10
 * ```
 *
 * @module screenshot-sets/mock
 */

export { createMock } from "./create-mock.js";
export type { SlideContext } from "./default-slide.js";
export type { Fault, FaultOptions } from "./faults.js";
export type { ErrorContext, Guess, Undocumented } from "./guesses.js";
export type { JobPlan } from "./job-plan.js";
export type { MockJob } from "./job-store.js";
export type { Jobs } from "./jobs.js";
export type { JournalEntry } from "./journal.js";
export type { Keys } from "./keys.js";
export type { Credits, LedgerRow } from "./ledger.js";
export type { Lifecycle } from "./lifecycle.js";
export type { Listener, ListenOptions } from "./listen.js";
export type { MockClock } from "./mock-clock.js";
export type { OperationName } from "./operation-name.js";
export type { AccountOptions, Mock, MockAccount, MockClientOptions, MockOptions } from "./types.js";
