import type { ErrorContext, Guess, Guesses, Refusal } from "./guesses.js";
import type { OperationName } from "./routes.js";

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

/** A reply that the service documents. */
export function success(status: number, body: unknown, credits = 0): Reply {
  return { status, body, credits, guesses: [] };
}

/** The reply, resting on one more guess. */
export function withGuess(guess: Guess, reply: Reply): Reply {
  return { ...reply, guesses: [...reply.guesses, guess] };
}

/** Any error. */
export function errorReply({ errorBody }: Guesses, context: ErrorContext): Reply {
  return { status: context.status, body: errorBody(context), credits: 0, guesses: ["errorBody"] };
}

/** An error whose status is a guess. */
export function refusalReply(
  guesses: Guesses,
  refusal: Refusal,
  operation: OperationName | undefined,
  message: string,
): Reply {
  const context = { status: guesses.status[refusal], code: codes[refusal], message, operation };
  return { ...errorReply(guesses, context), guesses: [`status.${refusal}`, "errorBody"] };
}

const codes: Record<Refusal, ErrorContext["code"]> = {
  insufficientCredits: "insufficient_credits",
  invalidRequest: "invalid_request",
  notFound: "not_found",
};
