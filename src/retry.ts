import type { Outcome } from "./attempt.js";
import type { Charged } from "./errors.js";

/**
 * What one outcome allows. A create costs credits when it is accepted (section 4.2 of the service's document),
 * and the service documents no idempotency key, so a create is sent again only when it was certainly not taken.
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
export function judge(method: string, outcome: Outcome): Verdict {
  const read = isRead(method);
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
  return { again: read && reach === "unknown", charged: maybe };
}

/** What a request did to the credits that the service may have taken. */
export function maybeCharged(method: string): Charged {
  return isRead(method) ? "no" : "maybe";
}

/**
 * How far a request came that `fetch` failed to send. `not sent`: the connection failed; `cannot be sent`: nor will
 * it be the next time; `unknown`: the service may have it; `no network`: the error is not one of the network.
 */
export type Reach = "not sent" | "cannot be sent" | "unknown" | "no network";

const connectCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
const connectCalls = new Set(["connect", "getaddrinfo"]);
/**
 * A proxy that opens no tunnel to the service; the code that comes with it is one of aborts
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/dispatcher/proxy-agent.js).
 */
const tunnelMessage = /^Proxy response \(\d+\) !== 200 when HTTP Tunneling$/;

/**
 * Certificates are checked, and protocols agreed on, before a byte of the request is written: the names are those of
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes.
 */
const tlsCode =
  /^(ERR_TLS_CERT_|CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_|UNABLE_TO_(VERIFY|GET|DECRYPT|DECODE)_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_SHARED_CIPHER|PACKET_LENGTH_TOO_LONG|DH_KEY_TOO_SMALL|UNSAFE_LEGACY_RENEGOTIATION_DISABLED))/;
/**
 * The alerts of a server that can only belong to a handshake (https://www.rfc-editor.org/rfc/rfc8446#section-6.2), as
 * OpenSSL calls them: some of them without `ALERT`. A server that turns down the client's own certificate says so only
 * when the request is on its way, and takes none of it.
 */
const tlsAlert =
  /^ERR_SSL_(TLSV1|TLSV13|SSLV3|SSL\/TLS)_(ALERT_)?(PROTOCOL_VERSION|HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|INAPPROPRIATE_FALLBACK|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL|UNKNOWN_(CA|PSK_IDENTITY)|ACCESS_DENIED|(MISSING|UNSUPPORTED)_EXTENSION|(BAD_|UNSUPPORTED_)?CERTIFICATE)/;
/**
 * Node words a handshake that was cut off so, under the code ECONNRESET
 * (https://github.com/nodejs/node/blob/v20.20.2/lib/_tls_wrap.js); `fetch` so a port that it never calls
 * (https://fetch.spec.whatwg.org/#port-blocking).
 */
const unsentMessage = /before secure TLS connection was established|^bad port$/;

/** What other implementations of `fetch` call a failure of the network. */
const networkErrors = /^(TypeError|Error|AggregateError|AbortError|TimeoutError|FetchError|NetworkError)$/;

/** Errors that refer to more others than this are made to fill the stack. */
const mostErrors = 100;

/** Causes nest, and a host with several addresses fails once for each: the first that tells decides. */
export function reachOf(error: unknown): Reach {
  return (
    evidenceIn(error, new Map()) ?? (matches(networkErrors, factsOf(error).name) ? "unknown" : "no network")
  );
}

/** `known` holds what was found in the errors on the way: they may refer to each other in circles. */
function evidenceIn(error: unknown, known: Map<unknown, Reach | undefined>): Reach | undefined {
  if (known.has(error)) return known.get(error);
  if (known.size === mostErrors) return "unknown";
  known.set(error, undefined);
  const reach = evidenceOf(factsOf(error), known);
  known.set(error, reach);
  return reach;
}

function evidenceOf(
  { code, syscall, message, cause, errors }: Facts,
  known: Map<unknown, Reach | undefined>,
): Reach | undefined {
  if (Array.isArray(errors) && errors.length > 0) {
    const found = errors.map((one) => evidenceIn(one, known));
    return found.every((reach) => reach === found[0]) ? found[0] : "unknown";
  }
  if (connectCodes.has(code as string) || connectCalls.has(syscall as string)) return "not sent";
  if (matches(tunnelMessage, message)) return "not sent";
  if (matches(tlsCode, code) || matches(tlsAlert, code) || matches(unsentMessage, message))
    return "cannot be sent";
  // A `DOMException` has a number for a code, which tells nothing of the network.
  return typeof code === "string" || typeof syscall === "string" ? "unknown" : evidenceIn(cause, known);
}

interface Facts {
  name?: unknown;
  message?: unknown;
  code?: unknown;
  syscall?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** What an error says of itself. What is thrown may be anything, with accessors that throw in turn. */
export function factsOf(error: unknown): Facts {
  try {
    const { name, message, code, syscall, cause, errors } = error as Facts;
    return { name, message, code, syscall, cause, errors };
  } catch {
    return {};
  }
}

/** A field may hold anything, and not all of that can be made a string. */
function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

/** The first code found in an error and its causes. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (depth > 10) return undefined;
  const { code, cause, errors } = factsOf(error);
  if (typeof code === "string") return code;
  return codeOf(Array.isArray(errors) ? errors[0] : cause, depth + 1);
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
