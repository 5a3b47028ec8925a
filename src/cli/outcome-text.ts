import type { SetOutcome, SkippedSet } from "../batch/index.js";
import { plural } from "../text/figures.js";
import { printableWord } from "../text/printable.js";
import { messageOf } from "./failure.js";
import { errorJson, printableJson, printableLine } from "./output.js";
import type { SessionFlags } from "./session.js";

/** How a set ended; its app may be why. */
export type Outcome = SetOutcome | (Omit<SkippedSet, "error"> & { error: Error });

const reasons = {
  budget: "the budget is used up",
  credits: "the account has too few credits",
  unclear: "it is unclear what became of creates before it, so no more are sent in this run",
  aborted: "not begun",
};

/** How a set ended, in some words. */
export function outcomeText(outcome: Outcome, flags: SessionFlags): string {
  switch (outcome.status) {
    case "succeeded": {
      const { slides } = outcome.job.result as { slides?: unknown };
      const count = Array.isArray(slides) ? `${plural(slides.length, "slide")}, ` : "";
      return `succeeded (${count}${paid(outcome)})`;
    }
    case "failed":
      return outcome.charged === "yes"
        ? `failed (${paid(outcome)}): ${messageOf(outcome.error, flags)}${notAgain(outcome)}`
        : `failed, not charged: ${messageOf(outcome.error, flags)}`;
    case "uncertain":
      return `uncertain, may have been charged: ${messageOf(outcome.error, flags)}${notAgain(outcome)}`;
    case "waiting":
      return outcome.error
        ? `waiting (${paid(outcome)}): ${messageOf(outcome.error, flags)}`
        : `accepted as ${paid(outcome)}`;
    case "skipped":
      return `skipped: ${outcome.error ? messageOf(outcome.error, flags) : reasons[outcome.reason]}`;
  }
}

/** Why a set was not ordered once more. */
function notAgain({ reason }: Outcome): string {
  return reason ? ` It was not ordered again: ${reasons[reason]}.` : "";
}

function paid({ jobId, credits }: Pick<SetOutcome, "jobId" | "credits">): string {
  const cost: unknown = credits?.cost;
  return `${printableWord(String(jobId))}, ${cost === undefined ? "charged" : `${cost} credits`}`;
}

/** A line for standard output. */
export function outcomeLine(outcome: Outcome, flags: SessionFlags): string {
  if (!flags.json) return `${printableLine(`${outcome.key}: ${outcomeText(outcome, flags)}`)}\n`;
  return `${printableJson({ ...outcome, ...(outcome.error && { error: errorJson(outcome.error) }) }, 0)}\n`;
}
