import { wrongOption } from "../../errors/wrong-option.js";
import { operationNames } from "../../generated/values.js";
import { type Check, count, nonNegative, oneOf, optional, type Table } from "../../options/read-options.js";
import { typeName } from "../../schema/type-name.js";
import { abortable } from "../../time/abortable.js";
import type { MockClock } from "../clock/mock-clock.js";
import { readMockOptions, unchecked } from "../read-mock-options.js";
import type { Account } from "../service/account.js";
import type { Guesses } from "../service/guesses.js";
import { plainCopy } from "../service/plain-copy.js";
import { errorReply, jsonReply, plainReply, type Reply, textReply } from "../service/reply.js";
import type { OperationName } from "../service/routes.js";

/** How a request fails. */
export type Fault =
  /** A different answer. */
  | {
      /** The status of the answer. */
      status: number;
      /**
       * The body of the answer, sent as JSON, or unchanged if it is a string.
       * @default what `undocumented.errorBody` returns
       */
      body?: unknown;
      /** Headers of the answer. */
      headers?: Record<string, string> | undefined;
      /** The header `Retry-After`, in seconds. Use `headers` for other forms of it. */
      retryAfter?: number | undefined;
      /**
       * The delay of the answer in milliseconds on the mock's clock.
       * @default 0
       */
      latencyMs?: number | undefined;
    }
  /** A slow answer. */
  | {
      /** The delay in milliseconds on the mock's clock. */
      latencyMs: number;
    }
  /** The connection breaks before there is an answer. */
  | "reset"
  /** The answer never comes. */
  | "hang"
  /** The request is applied, and its answer is HTML instead of JSON. */
  | "malformed"
  /** The request is applied, and its answer breaks off in the middle. */
  | "truncated";

/** The requests to which a fault applies, of whichever account. */
export interface FaultTarget {
  /** @default every operation */
  operation?: OperationName | undefined;
  /**
   * The number of requests to which the fault applies; infinity for all.
   * @default 1
   */
  times?: number | undefined;
  /**
   * The number of matching requests that pass before the fault applies.
   * @default 0
   */
  skip?: number | undefined;
  /**
   * `"before"`: the request never reaches the service or, with `latencyMs`, only late. `"after"`: the service applies
   * it, jobs are accepted and charged, and then the answer is lost or, with `latencyMs`, late.
   * @default "before"
   */
  when?: "before" | "after" | undefined;
}

/** A check that also takes infinity. */
const unlimited =
  (check: Check<number>): Check<number> =>
  (given, name, all) =>
    given === Number.POSITIVE_INFINITY ? given : check(given, name, all);

const targetTable = {
  operation: optional(oneOf(operationNames)),
  account: unchecked(),
  times: unlimited(count(1, 1)),
  skip: unlimited(count(0)),
  when: oneOf(["before", "after"], "before"),
} satisfies Table<FaultTarget & { account?: unknown }>;

const namedFaults = { reset: 0, hang: 0, malformed: 0, truncated: 0 } satisfies Record<
  Extract<Fault, string>,
  0
>;

/** The faults that are a name alone. */
export const faultNames = Object.keys(namedFaults) as (keyof typeof namedFaults)[];

type KeysOf<Kind> = Kind extends object ? keyof Kind : never;

/** The fields of the faults that are objects. */
export type FaultField = KeysOf<Fault>;

const faultTable = {
  status: optional(count(undefined, 200, 599)),
  body: unchecked(),
  headers: sendableHeaders,
  retryAfter: optional(nonNegative),
  latencyMs: optional(nonNegative),
} satisfies Record<FaultField, Check>;

/** A fault that has been added, and applies to the next matching requests. */
export interface ArmedFault {
  id: string;
  fault: Fault;
  operation: OperationName | undefined;
  /** Undefined for every account. */
  account: Account | undefined;
  times: number;
  skip: number;
  /** Ignored for malformed and truncated answers: their requests are always applied. */
  when: "before" | "after";
}

/** The armed faults. */
export class Faults {
  #armed: ArmedFault[] = [];
  #count = 0;

  /** The faults that are still armed, in order of use. */
  get armed(): readonly ArmedFault[] {
    return this.#armed;
  }

  /** @param account the account to which the fault applies; every one if undefined */
  add(fault: Fault, options: FaultTarget = {}, account?: Account): ArmedFault {
    const target = { ...readMockOptions("mock.fault", options, targetTable), account };
    checkFault(fault);
    const armed = { id: `fault_${++this.#count}`, fault: plainCopy(fault), ...target };
    this.#armed.push(armed);
    return armed;
  }

  remove(fault: ArmedFault): void {
    this.#armed = this.#armed.filter((one) => one !== fault);
  }

  /** Disarms the faults of an account. */
  forget(account: Account): void {
    this.#armed = this.#armed.filter((one) => one.account !== account);
  }

  /** The fault that applies to this request, if any. Counts the request. */
  take(operation: OperationName | undefined, account: Account): ArmedFault | undefined {
    let met: ArmedFault | undefined;
    for (const one of this.#armed) {
      if (one.operation !== undefined && one.operation !== operation) continue;
      if (one.account !== undefined && one.account !== account) continue;
      // Count every matching request, even if an earlier fault applies, so `skip` is a position among all of them.
      if (one.skip > 0) one.skip--;
      else met ??= one;
    }
    if (met && --met.times <= 0) this.remove(met);
    return met;
  }

  reset(): void {
    this.#armed = [];
    this.#count = 0;
  }
}

function checkFault(fault: Fault): void {
  if (faultNames.some((name) => name === fault)) return;
  if (typeof fault !== "object" || fault === null) {
    throw new TypeError(
      "Expected a fault: an object such as { status: 503 }, { status: 429, retryAfter: 5 } or { latencyMs: 2000 }, " +
        `or one of ${faultNames.map((name) => `"${name}"`).join(", ")}, got ${JSON.stringify(fault)}`,
    );
  }
  const { status, latencyMs, ...answer } = readMockOptions("mock.fault", fault, faultTable);
  const isOnlyLate = latencyMs !== undefined && Object.values(answer).every((given) => given === undefined);
  if (status !== undefined || isOnlyLate) return;
  throw new TypeError("Expected the `status` of the answer in the fault, or nothing but `latencyMs`");
}

/**
 * The headers of a fault. They are checked when the fault is armed, because the request that meets it belongs to other
 * code. A `Headers` object is refused because its entries are not properties.
 */
function sendableHeaders(given: Record<string, string> | undefined, option: string) {
  if (given !== undefined && typeName(given) !== "an object") {
    throw wrongOption(`\`${option}\``, "an object of texts", given);
  }
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new TypeError(`Expected no header named ${JSON.stringify(name)}`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new TypeError(`Expected the header ${name} to be one line of Latin letters`);
    }
  }
  return given;
}

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

/** The answer that a test asked for. The mock fills in only its body, if the test gave none. */
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
