import type { ErrorContext, Guess, Guesses, Refusal } from "./guesses.js";
import type { OperationName } from "./operation-name.js";

/** What the service answers, before it is put into bytes. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  /** What the request cost. */
  credits: number;
  /** What the answer rests on because the service does not document it. */
  guesses: Guess[];
}

/** Makes the answers that are errors. */
export interface Refusals {
  /** Any error. */
  error(context: ErrorContext): Reply;
  /** An error whose status is a guess. */
  refuse(refusal: Refusal, operation: OperationName | undefined, message: string): Reply;
}

const codes: Record<Refusal, ErrorContext["code"]> = {
  insufficientCredits: "insufficient_credits",
  invalidRequest: "invalid_request",
  notFound: "not_found",
};

export function createRefusals(guesses: Guesses): Refusals {
  function error(context: ErrorContext): Reply {
    return { status: context.status, body: guesses.errorBody(context), credits: 0, guesses: ["errorBody"] };
  }

  return {
    error,
    refuse(refusal, operation, message) {
      const reply = error({ status: guesses.status[refusal], code: codes[refusal], message, operation });
      return { ...reply, guesses: [`status.${refusal}`, ...reply.guesses] };
    },
  };
}
