import type { Issue } from "../schema/parse.js";
import type { FailedJob, Job } from "../types.js";
import { brand } from "./brand.js";
import { shortened } from "./words.js";

/**
 * What a failed call did to the credits: `no`, they are untouched; `yes`, the set was accepted and charged;
 * `maybe`, a create was sent and nobody can say whether the service took it.
 */
export type Charged = "no" | "maybe" | "yes";

/** What every error may be made with. */
export interface ErrorDetails {
  cause?: unknown;
  jobId?: string | undefined;
  charged?: Charged;
  idempotencyKey?: string;
}

/** What an error is made with: the fields of its class, and what every error may have. */
export type DetailsOf<Kind extends ScreenshotSetsError> = ErrorDetails &
  Omit<Kind, keyof ScreenshotSetsError>;

/** Base of every error of this package. An abort is none: it rejects with the signal's own reason. */
export class ScreenshotSetsError extends Error {
  /** The job that was accepted before this happened, or that the answer still named. */
  declare readonly jobId: string | undefined;
  /** What the failed call did to the credits. */
  declare readonly charged: Charged;
  /** The key that each attempt was sent with. There only where the OpenAPI document requires an idempotency key. */
  declare readonly idempotencyKey?: string;

  /** @internal */
  constructor(message: string, { cause, jobId, charged = "no", ...fields }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { jobId, charged, ...fields });
  }

  /** Name, message and the fields that hold a value, for logs: without headers and bodies, and with the cause in brief. */
  toJSON(): Record<string, unknown> {
    const { headers: _, body: __, ...fields } = { ...this } as Record<string, unknown>;
    const all = { name: this.name, message: this.message, ...fields, cause: briefly(this.cause) };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }
}

/** By its name and message, which hold no key: what else a thrown object would say of itself may hold anything. */
function briefly(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  try {
    if (Object(cause) !== cause) return shortened(String(cause));
    const { name, message } = cause as Partial<Error>;
    return (
      shortened([name, message].filter((part) => typeof part === "string" && part).join(": ")) || "object"
    );
  } catch {
    return typeof cause;
  }
}

/** A missing or malformed key, a bad base URL or a bad option. Nothing was sent. */
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
 * The service answered with a status that is not 2xx. The OpenAPI document has only 401; the subclasses are named for
 * HTTP's own meaning of the others.
 */
export class ApiError extends ScreenshotSetsError {
  /** The status of the answer. */
  declare readonly status: number;
  /** The headers of the answer. */
  declare readonly headers: Headers;
  /** The parsed JSON of the answer, or its text where it is no JSON. Its form is undocumented. */
  declare readonly body: unknown;
  /** The answer's `x-request-id`, or what proxies call it. */
  declare readonly requestId: string | undefined;
  /** The method of the request, in upper case. */
  declare readonly method: string;
  /** The path as it was sent, below the base URL. */
  declare readonly path: string;
  /** How many times the request was sent. */
  declare readonly attempts: number;
  /** How long the service asked to wait, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** Whether the SDK itself would send this request again, given attempts left. */
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
/** 402: a payment is required. Which status too few credits get is not documented. */
export class PaymentRequiredError extends ApiError {}
/** 403: the key may not do this. */
export class PermissionDeniedError extends ApiError {}
/** 404: there is nothing of that name. */
export class NotFoundError extends ApiError {}
/** 409: the request conflicts with the state of things. */
export class ConflictError extends ApiError {}
/** 422: the request is understood and its contents are refused. */
export class UnprocessableEntityError extends ApiError {}
/** 429: too many requests; `retryAfterMs` says how long to wait, where the answer does. */
export class RateLimitError extends ApiError {}
/** 5xx: the service, or what stands before it, failed. */
export class ServerError extends ApiError {}

/** No answer came, or its body broke off. */
export class ConnectionError extends ScreenshotSetsError {
  /** The code of the system or of `fetch`, such as `ECONNREFUSED`. */
  declare readonly code: string | undefined;
  /** How many times the request was sent. */
  declare readonly attempts: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<ConnectionError>) {
    super(message, details);
  }
}

/** An attempt outlived `timeoutMs`, in its headers or in its body. */
export class TimeoutError extends ScreenshotSetsError {
  /** How many times the request was sent. */
  declare readonly attempts: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<TimeoutError>) {
    super(message, details);
  }
}

/** A 2xx answer, or a redirect, that is not what the document says. */
export class InvalidResponseError extends ScreenshotSetsError {
  /** The status of the answer. */
  declare readonly status: number;
  /** The headers of the answer. */
  declare readonly headers: Headers;
  /** The parsed JSON of the answer, or its text where it is no JSON. */
  declare readonly body: unknown;
  /** How the answer differs from the document. */
  declare readonly issues: Issue[];

  /** @internal */
  constructor(message: string, details: DetailsOf<InvalidResponseError>) {
    super(message, details);
  }
}

/** The job ended `failed`; its `error` says why. */
export class JobFailedError extends ScreenshotSetsError {
  /** The failed job, with what the service says in its `error`. */
  declare readonly job: FailedJob;

  /** @internal */
  constructor(message: string, details: DetailsOf<JobFailedError>) {
    super(message, details);
  }
}

/**
 * A set whose progress is stored (`screenshot-sets/durable`) was interrupted. `charged: "maybe"`: its create was sent, or
 * was about to be, and its end is not known; it is not sent again. `charged: "yes"`: the set was accepted, and that could
 * not be stored; `cause` says why not, and `jobId` is the job to wait for.
 */
export class CreateInterruptedError extends ScreenshotSetsError {}

/** The deadline of a wait passed. The job is still running: wait for it again by its `jobId`. */
export class JobTimeoutError extends ScreenshotSetsError {
  /** The job as it was last seen; `undefined` when no poll was answered. */
  declare readonly job: Job | undefined;
  /** Requests that this wait made or shared. */
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

/** The class for a status that is not 2xx. */
export function apiErrorClass(status: number): typeof ApiError {
  return byStatus[status] ?? (status >= 500 && status < 600 ? ServerError : ApiError);
}
