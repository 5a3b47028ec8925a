export { type CreateAndWaitOptions, ScreenshotSets } from "./client.js";
export type { Clock } from "./clock.js";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type Charged,
  ConfigurationError,
  ConflictError,
  ConnectionError,
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
} from "./errors.js";
export { devices } from "./generated/values.js";
export { isTerminal } from "./is-terminal.js";
export type { ApiKey } from "./key.js";
export type { ClientOptions, Logger, RequestOptions } from "./options.js";
export { type PollDelayOptions, pollDelayMs } from "./poll-plan.js";
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
  paths,
  QueuedJob,
  RunningJob,
  Slide,
  SucceededJob,
} from "./types.js";
export type { WaitOptions } from "./wait.js";
