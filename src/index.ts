/**
 * The client of the service, its errors and its types.
 *
 * @example
 * ```ts
 * import { ScreenshotSets } from "screenshot-sets";
 *
 * const client = new ScreenshotSets(); // reads SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL
 * const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
 * const job = await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });
 * console.log(job.result.slides);
 * ```
 *
 * @module screenshot-sets
 */

export { ScreenshotSets } from "./client.js";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type Charged,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  CreateInterruptedError,
  InvalidRequestError,
  InvalidResponseError,
  JobFailedError,
  JobTimeoutError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ScreenshotSetsError,
  ServerError,
  TimeoutError,
  UnprocessableEntityError,
} from "./errors/errors.js";
export { devices, setCost } from "./generated/values.js";
export { isTerminal } from "./job-end.js";
export type { ClientOptions, RequestOptions, ResponseInfo } from "./options/options.js";
export type { Apps, Jobs, Screenshots } from "./resources.js";
export type { Issue } from "./schema/parse.js";
export type { ApiKey } from "./secrets/key.js";
export type { Logger } from "./secrets/log.js";
export type { Clock } from "./time/clock.js";
export type {
  AcceptedJob,
  App,
  CreateAppParams,
  CreateScreenshotsParams,
  Credits,
  Device,
  FailedJob,
  Job,
  JobResult,
  JobStatus,
  PlannedSet,
  paths,
  QueuedJob,
  RunningJob,
  Slide,
  SucceededJob,
} from "./types.js";
export type { CreateAndWaitOptions } from "./wait/await-on-accepted.js";
export { type PollDelayOptions, pollDelayMs } from "./wait/poll-delay.js";
export type { WaitOptions } from "./wait/wait-options.js";
