import type { Guesses } from "../service/guesses.js";
import { errorReply, type Reply } from "../service/replies.js";
import type { OperationName } from "../service/routes.js";
import type { Fault, MetFault } from "./faults.js";
import { answer, type GuessedResponse, jsonAnswer, malformed, truncated, whole } from "./mock-response.js";

/** A request that meets a fault. */
export interface FaultyRequest {
  operation: OperationName | undefined;
  /** Applies the request to the service; its answer will arrive whole, or is lost. */
  apply(how: { isLost: boolean }): Reply;
  waits: Waits;
}

/** The ways to wait, none of which counts as work. */
export interface Waits {
  /** On the mock's clock. */
  sleep(ms: number): Promise<void>;
  /** Rejects with the signal's reason once the caller gives up. */
  untilAborted(): Promise<never>;
}

/** Lets a request go wrong. */
export async function injectFault(
  { fault, isApplied }: MetFault,
  { operation, apply, waits }: FaultyRequest,
  guesses: Guesses,
): Promise<GuessedResponse> {
  if (fault === "malformed") return malformed(apply({ isLost: true }));
  if (fault === "truncated") return truncated(apply({ isLost: true }));
  const isLost = typeof fault === "string" || "status" in fault;
  const applied = isApplied ? apply({ isLost }) : undefined;
  if (fault === "hang") return waits.untilAborted();
  if (fault === "reset") return { response: { kind: "reset" }, guesses: [] };
  if ("status" in fault) return orderedAnswer(fault, operation, guesses);
  await waits.sleep(fault.latencyMs);
  return whole(applied ?? apply({ isLost }));
}

/** The answer that a test ordered. It is no guess of the mock's, but for the body that was left to it. */
function orderedAnswer(
  { status, body, headers = {}, retryAfter }: Extract<Fault, { status: number }>,
  operation: OperationName | undefined,
  guesses: Guesses,
): GuessedResponse {
  const sent = {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  if (typeof body === "string") {
    const contentType = body.trimStart().startsWith("<") ? "text/html" : "text/plain";
    return { response: answer(status, contentType, body, sent), guesses: [] };
  }
  if (body !== undefined) return { response: jsonAnswer(status, body, sent), guesses: [] };
  const message = `The mock was told to answer ${status}.`;
  const reply = errorReply(guesses, { status, code: "fault", message, operation });
  return { ...whole({ ...reply, headers: sent }), isExempt: true };
}
