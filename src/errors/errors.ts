import type { Issue } from "../schema/parse.js";
import type { FailedJob, Job } from "../types.js";
import { type DetailsOf, ScreenshotSetsError } from "./base.js";
import { brand } from "./brand.js";

export {
  type Charged,
  ConfigurationError,
  type DetailsOf,
  type ErrorDetails,
  ScreenshotSetsError,
} from "./base.js";

/** Parameters break the constraints of the OpenAPI document. Nothing was sent. */
export class InvalidRequestError extends ScreenshotSetsError {
  /** Each broken constraint, by dotted path. */
  declare readonly issues: Issue[];

  /** @internal */
  constructor(message: string, details: DetailsOf<InvalidRequestError>) {
    super(message, details);
  }
}

/**
 * The service answered with a status that is not 2xx. The subclasses are named after what their statuses mean in HTTP.
 */
export class ApiError extends ScreenshotSetsError {
  /** The status of the answer. */
  declare readonly status: number;
  /** The headers of the answer. */
  declare readonly headers: Headers;
  /** The parsed JSON of the answer, or its text if it is not JSON. */
  declare readonly body: unknown;
  /** The answer's `x-request-id`, or a proxy's equivalent. */
  declare readonly requestId: string | undefined;
  /** The method of the request, in upper case. */
  declare readonly method: string;
  /** The path as it was sent, below the base URL. */
  declare readonly path: string;
  /** How many times the request was sent. */
  declare readonly attempts: number;
  /** How long the service asked to wait, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** Whether the SDK would retry this request if it had attempts left. */
  declare readonly isRetryable: boolean;

  /** @internal */
  constructor(message: string, details: DetailsOf<ApiError>) {
    super(message, details);
  }
}

/** 400: the request is malformed. */
export class BadRequestError extends ApiError {}
/** 401: the key is missing, invalid or revoked. */
export class AuthenticationError extends ApiError {}
/** 402: a payment is required. Which status the service uses for insufficient credits is not documented. */
export class PaymentRequiredError extends ApiError {}
/** 403: the key may not do this. */
export class PermissionDeniedError extends ApiError {}
/** 404: the requested resource does not exist. */
export class NotFoundError extends ApiError {}
/** 409: the request conflicts with the current state. */
export class ConflictError extends ApiError {}
/** 422: the request was understood, but its contents were refused. */
export class UnprocessableEntityError extends ApiError {}
/** 429: too many requests. `retryAfterMs` says how long to wait, if the answer does. */
export class RateLimitError extends ApiError {}
/** 5xx: the service, or a proxy in front of it, failed. */
export class ServerError extends ApiError {}

/** No answer arrived, or its body broke off. */
export class ConnectionError extends ScreenshotSetsError {
  /** The status of the answer whose body broke off; `undefined` if no answer arrived. */
  declare readonly status?: number | undefined;
  /** The error code of the system or of `fetch`, such as `ECONNREFUSED`. */
  declare readonly code: string | undefined;
  /** How many times the request was sent. */
  declare readonly attempts: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<ConnectionError>) {
    super(message, details);
  }
}

/** An attempt took longer than `timeoutMs`, for the headers or for the body of the answer, or the `apiKey` function did. */
export class TimeoutError extends ScreenshotSetsError {
  /** How many times the request was sent. */
  declare readonly attempts: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<TimeoutError>) {
    super(message, details);
  }
}

/** A 2xx answer that does not match the document, or a redirect. */
export class InvalidResponseError extends ScreenshotSetsError {
  /** The status of the answer. */
  declare readonly status: number;
  /** The headers of the answer. */
  declare readonly headers: Headers;
  /** The parsed JSON of the answer, or its text if it is not JSON. */
  declare readonly body: unknown;
  /** How the answer differs from the document. */
  declare readonly issues: Issue[];

  /** @internal */
  constructor(message: string, details: DetailsOf<InvalidResponseError>) {
    super(message, details);
  }
}

/** The job ended as `failed`; its `error` may say why. */
export class JobFailedError extends ScreenshotSetsError {
  /** The failed job; what the service says of the failure is in its `error`. */
  declare readonly job: FailedJob;

  /** @internal */
  constructor(message: string, details: DetailsOf<JobFailedError>) {
    super(message, details);
  }
}

/**
 * The end of a create is not known, or could not be stored. `charged: "maybe"`: it may have been accepted, and is not
 * retried.
 * `charged: "yes"`: the set was accepted, but its store or `onAccepted` failed; wait for the job `jobId`. `charged: "no"`:
 * it was refused, but its record could not be removed. `cause` says why.
 */
export class CreateInterruptedError extends ScreenshotSetsError {}

/** The deadline of a wait passed. The job may still end: wait for it again by its `jobId`. */
export class JobTimeoutError extends ScreenshotSetsError {
  /** The job as last seen; `undefined` if no poll found it. */
  declare readonly job: Job | undefined;
  /** The number of requests that this wait sent. */
  declare readonly polls: number;
  /** How long the wait lasted, in milliseconds. */
  declare readonly elapsedMs: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<JobTimeoutError>) {
    super(message, details);
  }
}

brand({
  InvalidRequestError,
  ApiError,
  BadRequestError,
  AuthenticationError,
  PaymentRequiredError,
  PermissionDeniedError,
  NotFoundError,
  ConflictError,
  UnprocessableEntityError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
  InvalidResponseError,
  JobFailedError,
  CreateInterruptedError,
  JobTimeoutError,
});

const byStatus: Record<number, typeof ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
  429: RateLimitError,
};

/** The error class for a status that is not 2xx. */
export function apiErrorClass(status: number): typeof ApiError {
  return byStatus[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
}
