import { CreateInterruptedError } from "../errors/errors.js";
import { shortened } from "../errors/words.js";

const askTheLedger =
  "compare the account's credits with the sets that you know before you plan it again. It is not sent again by itself.";

/**
 * The error of a step that finds a create whose outcome is unknown.
 *
 * @param at when it was recorded; a record that was changed by hand may have no time
 */
export function createFound(at: number): CreateInterruptedError {
  const date = new Date(at);
  const when = Number.isNaN(date.getTime()) ? "" : ` at ${date.toISOString()}`;
  return new CreateInterruptedError(
    `A create was started${when}, and its end was never stored, so the set may have been charged: ${askTheLedger}`,
    { charged: "maybe" },
  );
}

/** The error of a create that failed and may have been accepted, in this step or in an earlier one. */
export function createLost(cause: unknown): CreateInterruptedError {
  const why = cause instanceof Error && cause.message ? ` (${cause.message})` : "";
  return new CreateInterruptedError(`A create failed and may have been charged: ${askTheLedger}${why}`, {
    charged: "maybe",
    cause,
  });
}

/** The error of a step that finds a set whose state was joined from two histories, of which one may have paid. */
export function historiesJoined(cause: Error, jobId: string | undefined): CreateInterruptedError {
  const look = jobId === undefined ? "" : "call `waitForJob` with its id to see how it ends, and ";
  return new CreateInterruptedError(
    `${cause.message}, so the set may have been charged: ${look}${askTheLedger}`,
    { charged: "maybe", jobId, cause },
  );
}

/** The error of a step whose acceptance could not be stored. */
export function acceptanceNotSaved(jobId: string, cause: unknown): CreateInterruptedError {
  return new CreateInterruptedError(
    `Job ${shortened(jobId)} was accepted and charged, and storing that failed: call \`waitForJob\` with its id.`,
    { charged: "yes", jobId, cause },
  );
}

/** The error of a step whose create was refused or not sent, and whose store failed to remove the record of it. */
export function refusalNotSaved(cause: unknown): CreateInterruptedError {
  return new CreateInterruptedError(
    "A create charged nothing, and removing its record failed, so later steps may say that it may have been charged. Take another step first. If it says so, order the set once more, in a batch by `again`.",
    { charged: "no", cause },
  );
}
