import { brand, isInstance } from "./brand.js";
import { shortened } from "./words.js";

// In a file of its own, so that a bundle of `pollDelayMs`, which throws these, has no other error.

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
 * A missing or malformed key, a bad base URL or a bad option. Nothing was sent, unless the key function failed
 * later: see `charged`.
 */
export class ConfigurationError extends ScreenshotSetsError {}

brand({ ScreenshotSetsError, ConfigurationError });
// The other classes inherit it.
Object.defineProperty(ScreenshotSetsError, Symbol.hasInstance, { value: isInstance });
