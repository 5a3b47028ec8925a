import type { Issue } from "../schema/parse.js";
import type { FailedJob, Job } from "../types.js";

/**
 * What a failed call did to the credits: `no`, they are untouched; `yes`, the set was accepted and charged;
 * `maybe`, a create was sent and nobody can say whether the service took it.
 */
export type Charged = "no" | "maybe" | "yes";

export interface ErrorDetails {
  cause?: unknown;
  jobId?: string | undefined;
  charged?: Charged;
}

/** Base of every error of this package. An abort is none: it rejects with the signal's own reason. */
export class ScreenshotSetsError extends Error {
  /** The job that was accepted before this happened, or that the answer still named. */
  readonly jobId: string | undefined;
  /** What the failed call did to the credits. */
  readonly charged: Charged;

  /** @internal */
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.jobId = details.jobId;
    this.charged = details.charged ?? "no";
  }
}

/** A missing or malformed key, a bad base URL or a bad option. Nothing was sent. */
export class ConfigurationError extends ScreenshotSetsError {}

/** Parameters break the constraints of the OpenAPI document. Nothing was sent. */
export class InvalidRequestError extends ScreenshotSetsError {
  /** Each broken constraint, by dotted path. */
  readonly issues: Issue[];

  /** @internal */
  constructor(message: string, details: ErrorDetails & { issues: Issue[] }) {
    super(message, details);
    this.issues = details.issues;
  }
}

export interface ApiErrorDetails extends ErrorDetails {
  status: number;
  headers: Headers;
  body: unknown;
  requestId: string | undefined;
  method: string;
  path: string;
  attempts: number;
  retryAfterMs: number | undefined;
  isRetryable: boolean;
}

/**
 * The service answered with a status that is not 2xx. Only 401 is documented (section 7 of the service's
 * document); the subclasses are named for HTTP's own meaning of the others.
 */
export class ApiError extends ScreenshotSetsError {
  /** The status of the answer. */
  readonly status: number;
  /** The headers of the answer. */
  readonly headers: Headers;
  /** The parsed JSON of the answer, or its text where it is no JSON. Its form is undocumented. */
  readonly body: unknown;
  /** The answer's `x-request-id`, or what proxies call it. */
  readonly requestId: string | undefined;
  /** The method of the request, in upper case. */
  readonly method: string;
  /** The path as it was sent, below the base URL. */
  readonly path: string;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the SDK itself would send this request again, given attempts left. */
  readonly isRetryable: boolean;

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.status = details.status;
    this.headers = details.headers;
    this.body = details.body;
    this.requestId = details.requestId;
    this.method = details.method;
    this.path = details.path;
    this.attempts = details.attempts;
    this.retryAfterMs = details.retryAfterMs;
    this.isRetryable = details.isRetryable;
  }
}

/** 400: the request is malformed. */
export class BadRequestError extends ApiError {}
/** 401: the key is missing, invalid or revoked (section 5 of the service's document). */
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
  readonly code: string | undefined;
  /** How many times the request was sent. */
  readonly attempts: number;

  /** @internal */
  constructor(message: string, details: ErrorDetails & { code: string | undefined; attempts: number }) {
    super(message, details);
    this.code = details.code;
    this.attempts = details.attempts;
  }
}

/** An attempt outlived `timeoutMs`, in its headers or in its body. */
export class TimeoutError extends ScreenshotSetsError {
  /** How many times the request was sent. */
  readonly attempts: number;

  /** @internal */
  constructor(message: string, details: ErrorDetails & { attempts: number }) {
    super(message, details);
    this.attempts = details.attempts;
  }
}

/** A 2xx answer, or a redirect, that is not what the document says. */
export class InvalidResponseError extends ScreenshotSetsError {
  /** The status of the answer. */
  readonly status: number;
  /** The headers of the answer. */
  readonly headers: Headers;
  /** The parsed JSON of the answer, or its text where it is no JSON. */
  readonly body: unknown;
  /** How the answer differs from the document. */
  readonly issues: Issue[];

  /** @internal */
  constructor(
    message: string,
    details: ErrorDetails & { status: number; headers: Headers; body: unknown; issues: Issue[] },
  ) {
    super(message, details);
    this.status = details.status;
    this.headers = details.headers;
    this.body = details.body;
    this.issues = details.issues;
  }
}

/** The job ended `failed` (section 7 of the service's document: its `error` says why). */
export class JobFailedError extends ScreenshotSetsError {
  /** The failed job, with what the service says in its `error`. */
  readonly job: FailedJob;

  /** @internal */
  constructor(message: string, details: ErrorDetails & { job: FailedJob }) {
    super(message, details);
    this.job = details.job;
  }
}

/** The deadline of a wait passed. The job goes on: wait for it again by its `jobId`. */
export class JobTimeoutError extends ScreenshotSetsError {
  /** The job as it was last seen; `undefined` when no poll was answered. */
  readonly job: Job | undefined;
  /** Requests that this wait made or shared. */
  readonly polls: number;
  /** How long the wait lasted, in milliseconds. */
  readonly elapsedMs: number;

  /** @internal */
  constructor(
    message: string,
    details: ErrorDetails & { job: Job | undefined; polls: number; elapsedMs: number },
  ) {
    super(message, details);
    this.job = details.job;
    this.polls = details.polls;
    this.elapsedMs = details.elapsedMs;
  }
}

const classes = {
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
  JobTimeoutError,
};

const marks = new Map<unknown, symbol>();

// The ESM and the CommonJS copy of this file, and each bundle that holds one, have classes of their own. A mark
// on the prototype, the same in all of them, is what `instanceof` asks for.
for (const [name, errorClass] of Object.entries(classes)) {
  const mark = Symbol.for(`screenshot-sets.${name}`);
  marks.set(errorClass, mark);
  Object.defineProperties(errorClass.prototype, {
    name: { value: name, writable: true },
    [mark]: { value: true },
  });
  // `util.inspect` shows the name of the class as well, which a minifier shortens.
  Object.defineProperty(errorClass, "name", { value: name });
}

// Inherited by the other classes. A subclass made elsewhere has no mark of its own and answers as usual.
Object.defineProperty(ScreenshotSetsError, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    const mark = marks.get(this);
    return mark === undefined
      ? Function.prototype[Symbol.hasInstance].call(this, value)
      : typeof value === "object" && value !== null && mark in value;
  },
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

/** An error of its own for each who shares a failure, with the same contents but for `changes`. */
export function copyOf(error: ScreenshotSetsError, changes: ErrorDetails = {}): ScreenshotSetsError {
  const errorClass = error.constructor as new (message: string, details: object) => ScreenshotSetsError;
  return new errorClass(error.message, { ...error, cause: error.cause, ...changes });
}
