import type { ErrorContext, Guess, Guesses } from "./guesses.js";

/** An answer, from the service to whoever carries it to the caller. */
export interface Reply {
  /** 0 where there is no answer, because the connection breaks. */
  status: number;
  headers: Record<string, string>;
  text: string;
  /** What the request cost. */
  credits: number;
  /** What it rests on because the service does not document it. */
  guesses: Guess[];
  /** Whether a strict mock gives it whatever it rests on. */
  isExempt?: boolean;
  /** Whether it breaks off in the middle of its text. */
  isTruncated?: boolean;
}

export function textReply(
  status: number,
  contentType: string,
  text: string,
  headers?: Record<string, string>,
): Reply {
  return { status, headers: { "content-type": contentType, ...headers }, text, credits: 0, guesses: [] };
}

/** Without text where there is nothing to say. */
export function jsonReply(status: number, body: unknown, headers?: Record<string, string>): Reply {
  return textReply(status, "application/json", body === undefined ? "" : JSON.stringify(body), headers);
}

/** Any error, in the format that is guessed. */
export function errorReply(
  { errorBody }: Guesses,
  context: ErrorContext,
  headers?: Record<string, string>,
): Reply {
  return { ...jsonReply(context.status, errorBody(context), headers), guesses: ["errorBody"] };
}

/** An answer that the service itself never gives, with a reason. */
export function mockReply(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } });
}

/**
 * What a strict mock rejects with, for callers that only an answer reaches. A 418, which no service has: a wait goes on
 * after any 5xx, and would come to its deadline before it says what is wrong.
 */
export function rejectionReply(error: unknown): Reply {
  return mockReply(418, "undocumented", error instanceof Error ? error.message : String(error));
}

/** Whether answers with this status have no body: https://fetch.spec.whatwg.org/#null-body-status */
export const isBodiless = (status: number): boolean => [204, 205, 304].includes(status);
