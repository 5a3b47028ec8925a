import type { GuessedReason } from "../refusal-reasons.js";
import type { OperationName } from "./routes.js";
import type { Undocumented } from "./undocumented.js";

/**
 * The name of something that the mock fills in, as in `undocumented`; `not_played` for a whole operation of the document
 * that the mock does not play.
 */
export type Guess = Exclude<keyof Undocumented, "status"> | `status.${GuessedReason}` | "not_played";

/** The name of something that was recorded: of what would else be filled in, of the price, or of a failed job's error. */
export type RecordedPart = "errorBody" | "slide" | `status.${GuessedReason}` | "setCost" | "jobError";

/** What an answer rests on, besides the service's document. */
export interface Sources {
  guesses: Guess[];
  recorded: RecordedPart[];
}

/** The sources of an answer that is made of several parts. */
export function allSources(...parts: Sources[]): Sources {
  return {
    guesses: parts.flatMap(({ guesses }) => guesses),
    recorded: parts.flatMap(({ recorded }) => recorded),
  };
}

/** The sources of what the document says. */
export const documented = (): Sources => ({ guesses: [], recorded: [] });

/**
 * The error of a strict mock. Not a `TypeError` and without a `code`, so that clients do not mistake it for a network
 * failure and retry.
 */
export function undocumentedError(guesses: Guess[], operation: OperationName | undefined): Error {
  const names = guesses.map((guess) => `\`${guess}\``).join(" and ");
  const message = guesses.includes("not_played")
    ? notPlayed(operation)
    : `Failed to answer ${operation ?? "a request"}: the mock would have to fill in ${names}, which the service does not document. ` +
      "Please give what you expect as `undocumented` to createMock, or leave out `strict`.";
  const error = new Error(message);
  return Object.assign(error, { name: "UndocumentedError", guesses });
}

/** Says that the mock does not play an operation, and what to do. */
export function notPlayed(operation: OperationName | undefined): string {
  const advice = `mock.fault({ status: 200, body }, { operation: "${operation}" })`;
  return `The mock does not play ${operation}. Please give its answer as a fault: \`${advice}\`.`;
}
