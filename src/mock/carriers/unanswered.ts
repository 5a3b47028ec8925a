import type { Answer } from "../engine/call.js";
import { json } from "../engine/outcome.js";

/**
 * What a strict mock rejects with, for callers that only an answer reaches. A 418, which no service has: a wait goes on
 * after any 5xx, and would come to its deadline before it says what is wrong.
 */
export function unanswered(error: unknown): Answer {
  return explained(418, "undocumented", error instanceof Error ? error.message : String(error));
}

/** A request to the mock's server that is none to the service. */
export function notBelowBase(basePath: string): Answer {
  return explained(404, "not_found", `The mock only answers below ${basePath}. Please check the base URL.`);
}

/** A request that is larger than the mock's server reads. */
export function tooLarge(): Answer {
  return explained(413, "too_large", "The request is larger than the mock reads.");
}

function explained(status: number, code: string, message: string): Answer {
  return json(status, { error: { code, message } });
}
