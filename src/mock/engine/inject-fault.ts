import { abortable } from "../../time/abortable.js";
import type { MockClock } from "../clock/mock-clock.js";
import type { Guesses } from "../service/guesses.js";
import { errorReply, jsonReply, type Reply, textReply } from "../service/reply.js";
import type { OperationName } from "../service/routes.js";
import type { ArmedFault, Fault } from "./faults.js";

/** A request that meets a fault. */
interface FaultyRequest {
  operation: OperationName | undefined;
  /** Applies the request to the service; its answer will arrive whole, or is lost. */
  apply(isLost: boolean): Reply;
  signal(): AbortSignal | null | undefined;
}

/** Lets a request go wrong. */
export async function injectFault(
  { fault, when }: ArmedFault,
  { operation, apply, signal }: FaultyRequest,
  { clock, guesses }: { clock: MockClock; guesses: Guesses },
): Promise<Reply> {
  if (fault === "malformed") return malformed(apply(true));
  if (fault === "truncated") return { ...apply(true), isTruncated: true };
  const isLost = typeof fault === "string" || "status" in fault;
  const applied = when === "after" ? apply(isLost) : undefined;
  if (fault === "hang") return abortable(signal() ?? undefined, () => undefined);
  if (fault === "reset") return textReply(0, "", "");
  if ("status" in fault) return orderedReply(fault, operation, guesses);
  await clock.sleep(fault.latencyMs, signal() ?? undefined);
  return applied ?? apply(isLost);
}

/** The page of some proxy in the place of a reply; of the reply, only its status is seen. */
function malformed({ status, guesses }: Reply): Reply {
  const page = "<!doctype html><title>Bad gateway</title><p>This is not the answer that was asked for.</p>\n";
  const visible = guesses.filter((guess) => guess.startsWith("status."));
  return { ...textReply(status, "text/html", page), guesses: visible };
}

/** The answer that a test ordered. It is no guess of the mock's, but for the body that was left to it. */
function orderedReply(
  { status, body, headers = {}, retryAfter }: Extract<Fault, { status: number }>,
  operation: OperationName | undefined,
  guesses: Guesses,
): Reply {
  const sent = {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  if (typeof body === "string") {
    const contentType = body.trimStart().startsWith("<") ? "text/html" : "text/plain";
    return textReply(status, contentType, body, sent);
  }
  if (body !== undefined) return jsonReply(status, body, sent);
  const message = `The mock was told to answer ${status}.`;
  return { ...errorReply(guesses, { status, code: "fault", message, operation }, sent), isExempt: true };
}
