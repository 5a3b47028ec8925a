import {
  ApiError,
  type Charged,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "../errors/errors.js";
import { isRead } from "../is-read.js";
import type { Outcome } from "./attempt.js";
import { reachOf } from "./reach.js";

/**
 * What follows from an outcome. A create costs credits when it is accepted, so it is retried only if the service
 * certainly did not accept it, or if the document has an idempotency key.
 */
export interface Verdict {
  /** Whether the request may be retried. */
  again: boolean;
  /** What happened to the credits if this outcome is the last. */
  charged: Charged;
}

const delayMs = { first: 500, longest: 8_000 };

/** The longest `Retry-After` that is waited for. The caller decides about longer ones. */
export const longestRetryAfterMs = 60_000;

/** How long after its beginning a call is still retried after a 429, as long as its `maxRetries` is not 0. */
export const longestRefusedMs = 300_000;

const statusesReadAgain = new Set([408, 429, 500, 502, 503, 504]);

/**
 * The one place that decides what may be retried and what was charged.
 *
 * @param before whether the request carries an idempotency key, and what earlier attempts did to the credits
 */
export function judge(
  method: string,
  outcome: Outcome,
  before: { isKeyed: boolean; charged: Charged },
): Verdict {
  const { isKeyed, charged } = before;
  const maybe = isRead(method) ? "no" : "maybe";
  const verdict = judgeAlone(outcome, isRead(method) || isKeyed, maybe);
  // A refused attempt says nothing about an earlier one.
  return charged === "no" ? verdict : { ...verdict, charged };
}

/** @param maybe what the request did to the credits if the service may have accepted it */
function judgeAlone(outcome: Outcome, read: boolean, maybe: Charged): Verdict {
  if (outcome.redirected) return { again: false, charged: maybe };
  if (outcome.kind === "broken" && outcome.status === undefined)
    return judgeFailure(read, maybe, outcome.error);
  const again = isTransient(outcome, read) && (retryAfterMs(outcome.headers) ?? 0) <= longestRetryAfterMs;
  return { again, charged: isRefusal(outcome.status ?? 0) ? "no" : maybe };
}

function isTransient({ kind, status = 0 }: Outcome, read: boolean): boolean {
  if (kind === "timed out" || kind === "broken") return read;
  return read ? statusesReadAgain.has(status) : status === 429;
}

/**
 * Whether a status proves that the service did not accept the request. A proxy may answer 408 and any 5xx although the
 * service did accept it. A `Retry-After` proves nothing: Varnish adds one to its own 503s
 * (https://github.com/varnishcache/varnish-cache/blob/varnish-7.1.1/bin/varnishd/builtin.vcl).
 */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function judgeFailure(read: boolean, maybe: Charged, error: unknown): Verdict {
  const reach = reachOf(error);
  if (reach === "cannot be sent") return { again: false, charged: "no" };
  if (reach === "not sent") return { again: true, charged: "no" };
  if (reach === "refused") return { again: read, charged: "no" };
  return { again: read && reach === "unknown", charged: maybe };
}

/**
 * How long to wait before a retry, in milliseconds: what the answer asks for, or else 0.5 s × 2^retry up to 8 s,
 * less a random share of up to a quarter, so that clients that failed together do not retry together.
 *
 * @param retry how many times the request was already retried
 */
export function retryDelayMs(retry: number, headers: Headers | undefined): number {
  const usualMs = Math.min(delayMs.first * 2 ** retry, delayMs.longest);
  return retryAfterMs(headers) ?? usualMs * (1 - Math.random() / 4);
}

/**
 * How long an answer asks to wait, in milliseconds. An invalid header counts as absent. A date is compared with that of
 * the answer, since the clocks of two machines differ.
 */
export function retryAfterMs(headers: Headers | undefined): number | undefined {
  if (headers === undefined) return undefined;
  const value = headers.get("retry-after");
  const asked = decimal(headers.get("retry-after-ms"), 1) ?? decimal(value, 1000);
  if (asked !== undefined) return asked;
  const until = dateIn(value);
  const ms = until === undefined ? -1 : until - (dateIn(headers.get("date")) ?? Date.now());
  return ms >= 0 ? ms : undefined;
}

function decimal(value: string | null, unitMs: number): number | undefined {
  const [first = ""] = value?.split(repeated) ?? [];
  const ms = /^(\d+(\.\d+)?|\.\d+)$/.test(first) ? Number(first) * unitMs : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}

/** A date of HTTP in milliseconds since 1970. */
function dateIn(value: string | null): number | undefined {
  // `Date.parse` accepts nearly anything. The oldest form of a date ends with the year and is in GMT, too:
  // https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
  const [day = "", rest] = value?.split(repeated) ?? [];
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(day)) return undefined;
  const isOldest = / \d{4}$/.test(day);
  const ms = Date.parse(isOldest ? `${day} GMT` : `${day}, ${rest}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Separates the values of a header that came twice, of which the first counts. A date contains it too. */
const repeated = /, */;

/** How long a new job may be unknown to some machines of the service. */
const notFoundGraceMs = 10_000;

/**
 * Whether the failure of a poll is transient: the job may be running all the same, so polling goes on.
 *
 * @param ageMs how long ago this client created the job; `Infinity` if it did not
 */
export function passesInWait(error: unknown, ageMs: number): boolean {
  // A body that breaks off is a failure of the network, whatever the error says.
  if (error instanceof ConnectionError)
    return error.status !== undefined || reachOf(error.cause) !== "no network";
  if (error instanceof TimeoutError) return true;
  if (error instanceof NotFoundError) return ageMs <= notFoundGraceMs;
  return error instanceof ServerError || (error instanceof ApiError && [408, 429].includes(error.status));
}

/** Whether the failure of a create that charged nothing is transient: the same create may be accepted soon. */
export function passesInCreate(error: unknown): boolean {
  // What timed out and charged nothing waited for its key.
  if (error instanceof RateLimitError || error instanceof TimeoutError) return true;
  return error instanceof ConnectionError && reachOf(error.cause) === "not sent";
}
