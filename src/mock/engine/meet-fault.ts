import type { OperationName } from "../service/operation-name.js";
import type { Refusals, Reply } from "../service/refusals.js";
import type { Fault, MetFault } from "./faults.js";
import { json, malformed, type Outcome, truncated, whole } from "./outcome.js";

/** A request on its way into a fault. */
export interface Encounter {
  operation: OperationName | undefined;
  /** Applies the request to the service; its answer will arrive whole, or is lost. */
  apply(how: { isLost: boolean }): Reply;
  /** Waits on the mock's clock, as whoever waits does, not as work. */
  sleep(ms: number): Promise<void>;
  /** Rejects with the signal's reason once the caller gives up. */
  untilAborted(): Promise<never>;
}

/** Lets a request go wrong. */
export async function meetFault(
  { fault, isApplied }: MetFault,
  { operation, apply, sleep, untilAborted }: Encounter,
  refusals: Refusals,
): Promise<Outcome> {
  if (fault === "malformed") return malformed(apply({ isLost: true }));
  if (fault === "truncated") return truncated(apply({ isLost: true }));
  const isLost = typeof fault === "string" || "status" in fault;
  const applied = isApplied ? apply({ isLost }) : undefined;
  if (fault === "hang") return untilAborted();
  if (fault === "reset") return { answer: { kind: "reset" }, guesses: [] };
  if ("status" in fault) return given(fault, operation, refusals);
  await sleep(fault.latencyMs);
  return whole(applied ?? apply({ isLost }));
}

/** The answer that a test ordered. It is no guess of the mock's, but for the body that was left to it. */
function given(
  { status, body, headers, retryAfter }: Extract<Fault, { status: number }>,
  operation: OperationName | undefined,
  { error }: Refusals,
): Outcome {
  const extra = {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...lowerCased(headers),
  };
  if (typeof body === "string") {
    const contentType = body.trimStart().startsWith("<") ? "text/html" : "text/plain";
    const answer = {
      kind: "whole" as const,
      status,
      headers: { "content-type": contentType, ...extra },
      body,
    };
    return { answer, guesses: [] };
  }
  if (body !== undefined) return { answer: json(status, body, extra), guesses: [] };
  const reply = error({
    status,
    code: "fault",
    message: `The mock was told to answer ${status}.`,
    operation,
  });
  return { answer: json(status, reply.body, extra), guesses: reply.guesses, isExempt: true };
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
