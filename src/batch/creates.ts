import type { Budget } from "./budget.js";
import type { SkippedSet } from "./set-outcome.js";

/** So many creates in a row without a clear answer are taken for an outage, which would make each further one uncertain. */
const mostUnclear = 2;

/** Whether a run of a batch sends a further create, of a set or of an app. */
export class Creates {
  #unclear = 0;
  #stopped: SkippedSet["reason"] | undefined;

  constructor(
    readonly budget: Budget,
    private readonly signal: AbortSignal,
  ) {}

  /** Why no further set may be created now, if so. */
  get reasonToSkip(): SkippedSet["reason"] | undefined {
    if (this.signal.aborted) return "aborted";
    return this.#stopped ?? (this.budget.hasRoom ? undefined : "budget");
  }

  /** A create was accepted or refused. */
  answered(): void {
    this.#unclear = 0;
  }

  /** A create may have been accepted, and nobody knows. */
  unclear(): void {
    if (++this.#unclear >= mostUnclear) this.#stopped ??= "unclear";
  }

  /** The account has no credits. */
  outOfCredits(): void {
    this.#stopped ??= "credits";
  }
}
