import type { Guess } from "../service/guesses.js";
import type { Reply } from "../service/replies.js";

/** What comes back for a request. */
export type MockResponse =
  /** The connection breaks. */
  | { kind: "reset"; status?: undefined }
  /** An answer; a truncated one breaks off in the middle of its body. */
  | { kind: "whole" | "truncated"; status: number; headers: Record<string, string>; body: string };

/** A response, before it is known whether a strict mock may give it. */
export interface GuessedResponse {
  response: MockResponse;
  /** The guesses that can be seen in it. */
  guesses: Guess[];
  /** Whether a strict mock gives it all the same. */
  isExempt?: boolean;
}

/** Whether answers with this status have no body: https://fetch.spec.whatwg.org/#null-body-status */
export const isBodiless = (status: number): boolean => [204, 205, 304].includes(status);

/** An answer that arrives as it was sent. */
export function answer(
  status: number,
  contentType: string,
  body: string,
  headers: Record<string, string> = {},
) {
  return { kind: "whole" as const, status, headers: { "content-type": contentType, ...headers }, body };
}

/** An answer in JSON; without a body where there is nothing to say. */
export function jsonAnswer(status: number, body: unknown, headers?: Record<string, string>) {
  return answer(status, "application/json", body === undefined ? "" : JSON.stringify(body), headers);
}

/** A reply as the service gives it. */
export function whole({ status, headers, body, guesses }: Reply) {
  return { response: jsonAnswer(status, body, headers), guesses };
}

/** A reply whose body breaks off. */
export function truncated(reply: Reply): GuessedResponse {
  const { response, guesses } = whole(reply);
  return { response: { ...response, kind: "truncated" }, guesses };
}

/** The page of some proxy in the place of a reply; of the reply, only its status is seen. */
export function malformed({ status, guesses }: Reply): GuessedResponse {
  const visible = guesses.filter((guess) => guess.startsWith("status."));
  return { response: answer(status, "text/html", page), guesses: visible };
}

const page = "<!doctype html><title>Bad gateway</title><p>This is not the answer that was asked for.</p>\n";

/**
 * What a strict mock rejects with, for callers that only an answer reaches. A 418, which no service has: a wait goes on
 * after any 5xx, and would come to its deadline before it says what is wrong.
 */
export function rejected(error: unknown): MockResponse {
  return explained(418, "undocumented", error instanceof Error ? error.message : String(error));
}

/** An answer that the service itself never gives, with a reason. */
export function explained(status: number, code: string, message: string): MockResponse {
  return jsonAnswer(status, { error: { code, message } });
}
