import { type ErrorAnswer, errorAnswers } from "../generated/samples.js";
import type { OperationName } from "./service/routes.js";

/**
 * Why a request is refused, with the code that says so and the statuses that may mean it, the mock's own first. The one
 * list of the reasons.
 */
export const refusalReasons = {
  /** The request has no key. */
  missingKey: { code: "unauthorized", statuses: [401] },
  /** The key is invalid or was revoked. */
  wrongKey: { code: "unauthorized", statuses: [401] },
  /** The body or a parameter is not what the document says. */
  invalidRequest: { code: "invalid_request", statuses: [400, 422] },
  /** There is no such path, the account has no such app or, in `getJob`, no such job. */
  notFound: { code: "not_found", statuses: [404, 410] },
  /** The account has too few credits. What only reads is never refused for this. */
  insufficientCredits: { code: "insufficient_credits", statuses: [402] },
} as const;

/** Why a request is refused. */
export type RefusalReason = keyof typeof refusalReasons;

/** The code of a refusal, for programs. */
export type RefusalCode = (typeof refusalReasons)[RefusalReason]["code"];

/** The reasons besides the key, for which the service's specification names no status. */
export type GuessedReason = {
  [Reason in RefusalReason]: (typeof refusalReasons)[Reason]["code"] extends "unauthorized" ? never : Reason;
}[RefusalReason];

export const isGuessed = (reason: RefusalReason): reason is GuessedReason =>
  refusalReasons[reason].code !== "unauthorized";

export const guessedReasons = (Object.keys(refusalReasons) as RefusalReason[]).filter(isGuessed);

/** The statuses that may mean a reason and that the document lists for an operation, the mock's own first. */
export function documentedStatuses(reason: RefusalReason, operation: OperationName | undefined): number[] {
  const listed = errorsOf(operation);
  return refusalReasons[reason].statuses.filter((status) => Object.hasOwn(listed, status));
}

/** What the document says of an operation's answer with this status: under the status, its class, or any other one. */
export function documentedError(
  status: number,
  operation: OperationName | undefined,
): ErrorAnswer | undefined {
  const listed = errorsOf(operation);
  return listed[status] ?? listed[`${Math.floor(status / 100)}XX`] ?? listed.default;
}

const errorsOf = (operation: string | undefined) => errorAnswers[operation ?? ""] ?? {};
