import { ApiError, type Charged, ConnectionError, NotFoundError, TimeoutError } from "../errors/errors.js";
import type { Outcome } from "./attempt.js";
import { reachOf } from "./reach.js";

/**
 * What one outcome allows. A create costs credits when it is accepted, so it is sent again only when it was certainly
 * not taken, unless the document requires an idempotency key for it.
 */
export interface Verdict {
  /** Whether the request may be sent again. */
  again: boolean;
  /** What the outcome did to the credits, had it been the last. */
  charged: Charged;
}

const delayMs = { first: 500, longest: 8_000 };

/** A longer `Retry-After` is left to the caller. */
const longestRetryAfterMs = 60_000;

const statusesReadAgain = new Set([408, 429, 500, 502, 503, 504]);

/** Reads change nothing, so they cost nothing and can be repeated. */
export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** The one place that says what may be sent again and what was charged. */
export function judge(method: string, outcome: Outcome, { isKeyed, charged }: Before = unkeyed): Verdict {
  const verdict = judgeAlone(method, outcome, isRead(method) || isKeyed);
  // That an attempt was refused says nothing of an earlier one.
  return charged === "no" ? verdict : { ...verdict, charged };
}

interface Before {
  /** Whether the service takes the request once, however often it is sent. */
  isKeyed: boolean;
  /** What the attempts before did to the credits. */
  charged: Charged;
}

const unkeyed: Before = { isKeyed: false, charged: "no" };

function judgeAlone(method: string, outcome: Outcome, read: boolean): Verdict {
  const maybe = maybeCharged(method);
  if (outcome.redirected) return { again: false, charged: maybe };
  if (outcome.kind === "broken" && outcome.status === undefined)
    return judgeFailure(read, maybe, outcome.error);
  const again = isTransient(outcome, read) && (retryAfterMs(outcome.headers) ?? 0) <= longestRetryAfterMs;
  return { again, charged: isRefusal(outcome.status ?? 0) ? "no" : maybe };
}

function isTransient({ kind, status = 0 }: Outcome, read: boolean): boolean {
  if (kind !== "answered") return read && kind !== "oversized";
  return read ? statusesReadAgain.has(status) : status === 429;
}

/**
 * Whether a status says that the service did not take the request. A proxy answers 408 and every 5xx also for requests
 * that the service did take. A `Retry-After` proves nothing: Varnish adds one to each 503 of its own
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

/** What a request did to the credits that the service may have taken. */
export function maybeCharged(method: string): Charged {
  return isRead(method) ? "no" : "maybe";
}

/**
 * How long to wait before sending again: what the answer asks for, else 0.5 s × 2^retry, at most 8 s, less up to
 * a quarter, so that clients that failed together do not come back together.
 *
 * @param retry how many times the request was sent again before
 */
export function retryDelayMs(retry: number, headers: Headers | undefined, random = Math.random): number {
  return retryAfterMs(headers) ?? Math.min(delayMs.first * 2 ** retry, delayMs.longest) * (1 - random() / 4);
}

/** How long an answer asks to wait, in milliseconds. What makes no sense counts as absent. */
export function retryAfterMs(headers: Headers | undefined): number | undefined {
  if (headers === undefined) return undefined;
  const precise = decimal(headers.get("retry-after-ms"), 1);
  if (precise !== undefined) return precise;
  const value = headers.get("retry-after") ?? "";
  const seconds = decimal(value, 1000);
  if (seconds !== undefined) return seconds;
  // `Date.parse` takes nearly anything for a date; HTTP's own begin with a day's name. The oldest form of them ends
  // with the year, and is no local time either: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
  const date = / \d{4}$/.test(value) ? `${value} GMT` : value;
  const ms = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(date) ? Date.parse(date) - Date.now() : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

function decimal(value: string | null, unitMs: number): number | undefined {
  const ms = /^\d*\.?\d+$/.test(value ?? "") ? Number(value) * unitMs : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}

/** A service of several machines may know a new job on one of them first. */
const notFoundGraceMs = 10_000;

/**
 * Whether the failure of a poll passes: the job may well go on behind it, so that polling again is right.
 *
 * @param ageMs how long ago this client created the job; `Infinity` for another's
 */
export function passesInWait(error: unknown, ageMs: number): boolean {
  if (error instanceof ConnectionError) return reachOf(error.cause) !== "no network";
  if (error instanceof TimeoutError) return true;
  if (error instanceof NotFoundError) return ageMs <= notFoundGraceMs;
  return error instanceof ApiError && (error.status === 408 || error.status === 429 || error.status >= 500);
}
