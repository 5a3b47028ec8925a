/**
 * The whole service in memory, for tests: stateful, with its own clock, without a network.
 *
 * The service's document leaves some things open, such as the bodies of errors and the fields of slides. The mock fills
 * them in. `mock.requests()` names them for each answer, as `guesses`, and the option `undocumented` replaces them.
 *
 * @example
 * ```ts
 * import { ScreenshotSets, setCost } from "screenshot-sets";
 * import { createMock } from "screenshot-sets/mock";
 *
 * const mock = createMock({ allowance: 2 * setCost });
 * const client = new ScreenshotSets(mock.clientOptions);
 * const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
 * await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });
 * console.log(mock.credits.remaining); // as much as one more set costs
 * ```
 *
 * @module screenshot-sets/mock
 */

export type { Listener, ListenOptions } from "./carriers/listen.js";
export type { MockClock } from "./clock/mock-clock.js";
export { createMock } from "./create-mock.js";
export type { Fault, FaultTarget } from "./engine/faults.js";
export type { JournalEntry } from "./engine/journal.js";
export type { Lifecycle } from "./lifecycle.js";
export type { AccountOptions, MockOptions } from "./mock-options.js";
export type { RefusalReason } from "./refusal-reasons.js";
export type { JobPlan } from "./service/job-plan.js";
export type { Jobs, MockJob } from "./service/job-store.js";
export type { Keys } from "./service/keys.js";
export type { Credits, LedgerRow } from "./service/ledger.js";
export type {
  Recorded,
  RecordedRefusal,
  RecordedRefusals,
  RecordedSet,
} from "./service/recorded.js";
export type { OperationName } from "./service/routes.js";
export type { Guess, RecordedPart } from "./service/sources.js";
export type { ErrorContext, SlideContext, Undocumented } from "./service/undocumented.js";
export type {
  FaultOptions,
  Mock,
  MockAccount,
  MockClientOptions,
  RequestsFilter,
} from "./types.js";
