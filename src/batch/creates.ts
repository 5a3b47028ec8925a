import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  PaymentRequiredError,
  RateLimitError,
  type ScreenshotSetsError,
} from "../errors/errors.js";
import type { Budget } from "./budget.js";
import type { FailedSet, SkippedSet } from "./set-outcome.js";

/** So many creates in a row without a clear answer are taken for an outage, which would make each further one uncertain. */
const mostUnclear = 2;

/**
 * Whether a run of a batch sends a further create, of a set or of an app: what the end of each means for those after it.
 */
export class Creates {
  #unclear = 0;
  #stopped: SkippedSet["reason"] | undefined;

  /** @param fail ends the batch */
  constructor(
    readonly budget: Budget,
    private readonly signal: AbortSignal,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** Why no further set may be created now, if so. */
  get reasonToSkip(): SkippedSet["reason"] | undefined {
    if (this.signal.aborted) return "aborted";
    return this.#stopped ?? (this.budget.hasRoomFor(1) ? undefined : "budget");
  }

  /** A create was accepted. */
  accepted(): void {
    this.#unclear = 0;
  }

  /** A create may have been accepted, and nobody knows. */
  unclear(): void {
    if (++this.#unclear >= mostUnclear) this.#stopped ??= "unclear";
  }

  /** A create has ended and certainly charged nothing: how the set ends in this run. */
  refused(key: string, error: ScreenshotSetsError): FailedSet | SkippedSet {
    // A 429, and a connection that was never made, say nothing about an outage.
    if (error instanceof ApiError && !(error instanceof RateLimitError)) this.#unclear = 0;
    if (error instanceof AuthenticationError || error instanceof ConfigurationError) this.fail(error);
    if (error instanceof PaymentRequiredError) {
      this.#stopped ??= "credits";
      return { key, status: "skipped", reason: "credits" };
    }
    return { key, status: "failed", error, charged: "no" };
  }
}
