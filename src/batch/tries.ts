import { RateLimitError, TimeoutError } from "../errors/errors.js";
import { longestRefusedMs } from "../request/retry.js";
import type { Clock } from "../time/clock.js";

/** How often a create is tried that does not reach the service. */
const mostUnsent = 3;

/** How long a create that charges nothing is tried: that of a set, or of an app. */
export class Tries {
  readonly #beganAt: number;
  #unsent = 0;

  constructor(private readonly clock: Clock) {
    this.#beganAt = clock.now();
  }

  /**
   * Whether it is tried again.
   *
   * @param error why the last try charged nothing: a failure that passes
   * @param delayMs how long to wait before the next one, in milliseconds
   */
  mayRetry(error: Error, delayMs: number): boolean {
    // A key that does not come is waited for as long as a refusal.
    if (!(error instanceof RateLimitError || error instanceof TimeoutError)) this.#unsent++;
    const triedMs = this.clock.now() - this.#beganAt + delayMs;
    return this.#unsent < mostUnsent && triedMs <= longestRefusedMs;
  }
}
