import { operationNames } from "../../generated/values.js";
import { checkHeaders, checkInteger, checkOptions } from "../checks.js";
import type { Account } from "../service/account.js";
import { plainCopy } from "../service/plain-copy.js";
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

const faultOptions = { operation: 0, account: 0, times: 0, skip: 0, when: 0 } satisfies Record<
  keyof FaultTarget | "account",
  0
>;

const namedFaults = { reset: 0, hang: 0, malformed: 0, truncated: 0 } satisfies Record<
  Extract<Fault, string>,
  0
>;

/** The faults that are a name alone. */
export const faultNames = Object.keys(namedFaults) as (keyof typeof namedFaults)[];

type KeysOf<Kind> = Kind extends object ? keyof Kind : never;

/** The fields of the faults that are objects. */
export type FaultField = KeysOf<Fault>;

const faultFields = { status: 0, body: 0, headers: 0, retryAfter: 0, latencyMs: 0 } satisfies Record<
  FaultField,
  0
>;

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
    checkOptions("`mock.fault`", options, faultOptions);
    const { operation, times = 1, skip = 0, when = "before" } = options;
    const wanted = { operation, account, times, skip, when };
    check({ fault, ...wanted });
    const armed = { id: `fault_${++this.#count}`, fault: plainCopy(fault), ...wanted };
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

function check({ fault, operation, times, skip, when }: Omit<ArmedFault, "id">): void {
  checkFault(fault);
  if (operation !== undefined && !operationNames.includes(operation)) {
    throw new TypeError(`Expected \`operation\` to be ${operationNames.join(", ")} or undefined`);
  }
  if (times !== Number.POSITIVE_INFINITY) checkInteger("times", times, 1);
  if (skip !== Number.POSITIVE_INFINITY) checkInteger("skip", skip);
  if (when !== "before" && when !== "after") {
    throw new TypeError('Expected `when` to be "before" or "after"');
  }
}

/** Everything that an object can say of a fault. */
type FaultFields = Partial<Extract<Fault, { status: number }>>;

function checkFault(fault: Fault): void {
  if (faultNames.some((name) => name === fault)) return;
  if (typeof fault !== "object" || fault === null) {
    throw new TypeError(
      "Expected a fault: an object such as { status: 503 }, { status: 429, retryAfter: 5 } or { latencyMs: 2000 }, " +
        `or one of ${faultNames.map((name) => `"${name}"`).join(", ")}, got ${JSON.stringify(fault)}`,
    );
  }
  checkOptions("`mock.fault`", fault, faultFields);
  const { status, latencyMs, ...answer }: FaultFields = fault;
  if (status !== undefined) checkInteger("status", status, 200, 599);
  else if (latencyMs === undefined || Object.values(answer).some((given) => given !== undefined)) {
    throw new TypeError("Expected the `status` of the answer in the fault, or nothing but `latencyMs`");
  }
  const { headers = {}, retryAfter } = answer;
  for (const [name, number = 0] of Object.entries({ retryAfter, latencyMs })) {
    if (Number.isFinite(number) && number >= 0) continue;
    throw new RangeError(`Expected \`${name}\` to be a number of 0 or more, got ${number}`);
  }
  checkHeaders(headers);
}
