import type { MockClock } from "../clock/mock-clock.js";
import type { Guesses } from "../service/guesses.js";
import { errorReply, type Reply } from "../service/replies.js";
import type { OperationName } from "../service/routes.js";
import type { ArmedFault, Fault } from "./faults.js";
import { answer, type GuessedResponse, jsonAnswer, malformed, truncated, whole } from "./mock-response.js";

/** A request that meets a fault. */
interface FaultyRequest {
  operation: OperationName | undefined;
  /** Applies the request to the service; its answer will arrive whole, or is lost. */
  apply(isLost: boolean): Reply;
  signal(): AbortSignal | null | undefined;
  clock: MockClock;
}

/** Lets a request go wrong. */
export async function injectFault(
  { fault, when }: ArmedFault,
  { operation, apply, signal, clock }: FaultyRequest,
  guesses: Guesses,
): Promise<GuessedResponse> {
  if (fault === "malformed") return malformed(apply(true));
  if (fault === "truncated") return truncated(apply(true));
  const isLost = typeof fault === "string" || "status" in fault;
  const applied = when === "after" ? apply(isLost) : undefined;
  if (fault === "hang") return abortOf(signal());
  if (fault === "reset") return { response: { kind: "reset" }, guesses: [] };
  if ("status" in fault) return orderedAnswer(fault, operation, guesses);
  await clock.sleep(fault.latencyMs, signal() ?? undefined);
  return whole(applied ?? apply(isLost));
}

/** Rejects with the signal's reason once the caller gives up. */
function abortOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
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
