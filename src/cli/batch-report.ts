import type { SetOutcome } from "../batch/index.js";
import { plural, printableJson, printableLine } from "./output.js";

/** How a set ended; its app may be why. */
export type Outcome = SetOutcome | AppOutcome;

/** A set that could not be ordered because of its app. */
export interface AppOutcome {
  key: string;
  status: "failed" | "uncertain";
  error: Error;
  charged: "no" | "maybe";
}

const reasons = {
  budget: "the budget is used up",
  credits: "the account has no credits",
  aborted: "not begun",
};

/** An outcome where nobody waits: then nothing timed out. */
export function withoutTimeout(outcome: Outcome): Outcome {
  const isTimeout = outcome.status === "waiting" && outcome.error?.name === "JobTimeoutError";
  return isTimeout ? { ...outcome, error: undefined } : outcome;
}

/** How a set ended, in some words. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.status) {
    case "succeeded": {
      const { slides } = outcome.job.result as { slides?: unknown };
      const count = Array.isArray(slides) ? `${plural(slides.length, "slide")}, ` : "";
      return `succeeded (${count}${paid(outcome)})`;
    }
    case "failed":
      return outcome.charged === "yes"
        ? `failed (${paid(outcome)}): ${outcome.error.message}`
        : `failed, not charged: ${outcome.error.message}`;
    case "uncertain":
      return `uncertain, may have been charged: ${outcome.error.message}`;
    case "waiting":
      return outcome.error
        ? `waiting (${paid(outcome)}): ${outcome.error.message}`
        : `accepted as ${paid(outcome)}`;
    case "skipped":
      return `skipped: ${reasons[outcome.reason]}`;
  }
}

function paid({
  jobId,
  credits,
}: {
  jobId?: string | undefined;
  credits?: { cost?: unknown } | undefined;
}): string {
  return `${jobId}, ${credits?.cost === undefined ? "charged" : `${credits.cost} credits`}`;
}

/** A line for standard output. */
export function outcomeLine(outcome: Outcome, isJson: boolean | undefined): string {
  if (!isJson) return `${printableLine(`${outcome.key}: ${outcomeText(outcome)}`)}\n`;
  // An error that is not the client's has no JSON of its own.
  const { error } = outcome;
  const told = error && !("toJSON" in error) ? { name: error.name, message: error.message } : error;
  return `${printableJson({ ...outcome, ...(error && { error: told }) }, 0)}\n`;
}

/** The exit code for a set: 3 charged, or maybe charged, and no result · 1 failed · 0 done. */
export function exitCodeOf(outcome: Outcome, isWaited: boolean): number {
  if (outcome.status === "succeeded") return 0;
  if (outcome.status === "waiting") return !isWaited && outcome.error?.name === "JobTimeoutError" ? 0 : 3;
  return outcome.status === "uncertain" ? 3 : 1;
}

/** How many sets ended in each way: `3 succeeded, 1 skipped`. */
export function countsText(outcomes: readonly Outcome[]): string {
  const counts = new Map<string, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
}
