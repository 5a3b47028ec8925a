import { abortable } from "../../time/abortable.js";
import type { MockClock } from "../clock/mock-clock.js";
import type { Guesses } from "../service/guesses.js";
import { errorReply, jsonReply, plainReply, type Reply, textReply } from "../service/reply.js";
import type { OperationName } from "../service/routes.js";
import type { ArmedFault, Fault } from "./faults.js";

/** A request to which a fault applies. */
interface FaultyRequest {
  operation: OperationName | undefined;
  /** Applies the request to the service. `isLost` says that its answer will not arrive, or not intact. */
  apply(isLost: boolean): Reply;
  signal: AbortSignal | undefined;
}

/** Applies a fault to a request. */
export async function injectFault(
  { fault, when }: ArmedFault,
  { operation, apply, signal }: FaultyRequest,
  { clock, guesses }: { clock: MockClock; guesses: Guesses },
): Promise<Reply> {
  if (fault === "malformed") return malformed(apply(true));
  if (fault === "truncated") return truncated(apply(true));
  const isLost = typeof fault === "string" || "status" in fault;
  const applied = when === "after" ? apply(isLost) : undefined;
  if (fault === "hang") return abortable(signal, () => undefined);
  if (fault === "reset") return textReply(0, "", "");
  if (fault.latencyMs !== undefined) await clock.sleep(fault.latencyMs, signal);
  if ("status" in fault) return orderedReply(fault, operation, guesses);
  return applied ?? apply(isLost);
}

/** The first half of a reply, after which the connection breaks. */
function truncated(reply: Reply): Reply {
  return { ...reply, text: reply.text.slice(0, reply.text.length / 2), isTruncated: true };
}

/** Replaces a reply with an HTML page, as from a proxy. Only the status of the reply remains visible. */
function malformed({ status, guesses, recorded }: Reply): Reply {
  const page = "<!doctype html><title>Bad gateway</title><p>This is not the answer that was asked for.</p>\n";
  const isVisible = (source: string) => source.startsWith("status.");
  const sources = { guesses: guesses.filter(isVisible), recorded: recorded.filter(isVisible) };
  return { ...textReply(status, "text/html", page), ...sources };
}

/** The answer that a test asked for. The mock fills in nothing but a body that the test left to it. */
function orderedReply(
  { status, body, headers = {}, retryAfter }: Extract<Fault, { status: number }>,
  operation: OperationName | undefined,
  guesses: Guesses,
): Reply {
  const sent = {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  if (typeof body === "string") return plainReply(status, body, sent);
  if (body !== undefined) return jsonReply(status, body, sent);
  const message = `The mock was told to answer ${status}.`;
  return { ...errorReply(guesses, { status, code: "fault", message, operation }, sent), isExempt: true };
}
