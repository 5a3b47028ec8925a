import type { RefusalReason } from "../refusal-reasons.js";
import type { Guesses } from "./guesses.js";
import type { Content } from "./refusals.js";
import type { OperationName } from "./routes.js";
import { documented, type Sources } from "./sources.js";
import type { ErrorContext } from "./undocumented.js";

/** An answer of the service, which a carrier passes to the caller. */
export interface Reply extends Sources {
  /** 0 if the connection breaks and there is no answer. */
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The cost of the request. */
  credits: number;
  /** Whether a strict mock gives this answer whatever is filled in in it. */
  isExempt?: boolean;
  /** Whether the connection breaks after the text, with more announced. */
  isTruncated?: boolean;
}

export function textReply(
  status: number,
  contentType: string,
  text: string,
  headers?: Record<string, string>,
): Reply {
  return { status, headers: { "content-type": contentType, ...headers }, text, credits: 0, ...documented() };
}

/** A reply in JSON; without text if `body` is undefined. */
export function jsonReply(status: number, body: unknown, headers?: Record<string, string>): Reply {
  return textReply(status, "application/json", body === undefined ? "" : JSON.stringify(body), headers);
}

/** A reply in what is no JSON. */
export function plainReply(status: number, text: string, headers?: Record<string, string>): Reply {
  return textReply(status, text.trimStart().startsWith("<") ? "text/html" : "text/plain", text, headers);
}

/** The refusal of a request, as it was recorded, is documented or is filled in. */
export function refusalReply(
  guesses: Guesses,
  reason: RefusalReason,
  operation: OperationName | undefined,
  message: string,
): Reply {
  const { status, ...content } = guesses.refusals.refusal(reason, operation, message);
  return contentReply(status, content);
}

/** An error whose body the mock makes. */
export function errorReply(guesses: Guesses, context: ErrorContext, headers?: Record<string, string>): Reply {
  return contentReply(context.status, guesses.refusals.error(context), headers);
}

function contentReply(
  status: number,
  { text = "", mediaType, guesses, recorded, ...json }: Content & Sources,
  headers: Record<string, string> = {},
): Reply {
  const sent = { ...(mediaType !== undefined && { "content-type": mediaType }), ...headers };
  const reply = "body" in json ? jsonReply(status, json.body, sent) : plainReply(status, text, sent);
  return { ...reply, guesses, recorded };
}

/** An answer with a reason that only the mock gives, never the service. */
export function mockReply(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } });
}

/**
 * The rejection of a strict mock as an answer, for callers that receive nothing else. Its status is 418, which no
 * service uses. With a 5xx, a wait would continue until its deadline before it reports the problem.
 */
export function rejectionReply(error: unknown): Reply {
  return mockReply(418, "undocumented", error instanceof Error ? error.message : String(error));
}

/** Whether answers with this status have no body: https://fetch.spec.whatwg.org/#null-body-status */
export const isBodiless = (status: number): boolean => [204, 205, 304].includes(status);
