import type { Issue } from "../schema/parse.js";
import type { FailedJob, Job } from "../types.js";
import { brand } from "./brand.js";
import { shortened } from "./words.js";

/**
 * What a failed call did to the credits. `no`: they are untouched. `yes`: the set was accepted and charged. `maybe`: a
 * create was sent, and it is unknown whether the service accepted it.
 */
export type Charged = "no" | "maybe" | "yes";

/** The fields that every error can be created with. */
export interface ErrorDetails {
  cause?: unknown;
  jobId?: string | undefined;
  charged?: Charged;
  idempotencyKey?: string;
}

/** The fields to create an error with: those of its class, and those that every error can have. */
export type DetailsOf<Kind extends ScreenshotSetsError> = ErrorDetails &
  Omit<Kind, keyof ScreenshotSetsError>;

/** The base class of every error of this package. An abort is not one: it rejects with the signal's own reason. */
export class ScreenshotSetsError extends Error {
  /** The id of the job that was accepted before the error, or that the answer still named. */
  declare readonly jobId: string | undefined;
  /** What the failed call did to the credits: `"no"`, `"maybe"` or `"yes"`. */
  declare readonly charged: Charged;
  /** The idempotency key that each attempt was sent with. Present only if the OpenAPI document has one. */
  declare readonly idempotencyKey?: string;

  /** @internal */
  constructor(message: string, { cause, jobId, charged = "no", ...fields }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { jobId, charged, ...fields });
  }

  /** The name, message and all fields with a value, for logs: no headers or bodies, and a brief form of the cause. */
  toJSON(): Record<string, unknown> {
    const { headers: _, body: __, ...fields } = { ...this } as Record<string, unknown>;
    const all = { name: this.name, message: this.message, ...fields, cause: briefly(this.cause) };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }
}

/** A cause as its name and message, which hold no key. Other fields of a thrown object may hold anything. */
function briefly(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  if (Object(cause) !== cause) return shortened(String(cause));
  const { name, message } = cause as Partial<Error>;
  return shortened([name, message].filter((part) => typeof part === "string" && part).join(": ")) || "object";
}

/**
 * A missing or malformed key, a bad base URL or a bad option. Nothing was sent, unless the key function or the clock
 * failed later: see `charged`.
 */
export class ConfigurationError extends ScreenshotSetsError {}

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
 * The service answered with a status that is not 2xx. The OpenAPI document lists only 401; the subclasses for other
 * statuses are named after their meaning in HTTP.
 */
export class ApiError extends ScreenshotSetsError {
  /** The status of the answer. */
  declare readonly status: number;
  /** The headers of the answer. */
  declare readonly headers: Headers;
  /** The parsed JSON of the answer, or its text if it is not JSON. Its form is undocumented. */
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
  /** Whether the SDK would send this request again if it had attempts left. */
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

/** An attempt took longer than `timeoutMs`, either for the headers or for the body of the answer. */
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

/** The job ended as `failed`; its `error` says why. */
export class JobFailedError extends ScreenshotSetsError {
  /** The failed job, with the service's explanation in its `error`. */
  declare readonly job: FailedJob;

  /** @internal */
  constructor(message: string, details: DetailsOf<JobFailedError>) {
    super(message, details);
  }
}

/**
 * A set whose progress is stored (`screenshot-sets/durable`) was interrupted. `charged: "maybe"`: its create may have
 * been accepted, and is not sent again. `charged: "yes"`: the set was accepted, but that could not be stored; wait for
 * the job `jobId`. `charged: "no"`: its create was refused, but its record could not be removed. `cause` says why.
 */
export class CreateInterruptedError extends ScreenshotSetsError {}

/** The deadline of a wait passed. The job may still be running: wait for it again by its `jobId`. */
export class JobTimeoutError extends ScreenshotSetsError {
  /** The job as last seen; `undefined` if no poll was answered. */
  declare readonly job: Job | undefined;
  /** The number of requests that this wait made or shared. */
  declare readonly polls: number;
  /** How long the wait lasted, in milliseconds. */
  declare readonly elapsedMs: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<JobTimeoutError>) {
    super(message, details);
  }
}

brand({
  ScreenshotSetsError,
  ConfigurationError,
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
