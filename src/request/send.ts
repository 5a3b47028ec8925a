import { copyOf } from "../errors/copy-of.js";
import { type Charged, TimeoutError } from "../errors/errors.js";
import { isRead } from "../is-read.js";
import type { Settings } from "../options/options.js";
import { type Log, runQuietly } from "../secrets/log.js";
import { redact } from "../secrets/redact.js";
import { abortable } from "../time/abortable.js";
import { after } from "../time/clock.js";
import { holdClock } from "../time/clock-hooks.js";
import { type Answer, answerOf, knownOf, requestIdIn } from "./answer.js";
import { jobIdIn } from "./answer-body.js";
import { attempt, type Outcome, type Sendable } from "./attempt.js";
import type { Call } from "./call.js";
import { platformFetch } from "./platform-fetch.js";
import type { RateLimit } from "./rate-limit.js";
import { judge, longestRefusedMs, retryDelayMs } from "./retry.js";

/** What all calls of a client share. */
export interface Sender {
  settings: Settings;
  log: Log;
  rateLimit: RateLimit;
  /** Whether the service has answered a call with a 2xx. */
  hasSucceeded?: boolean;
}

/**
 * Sends a request with the client's key, as often as is safe. Resolves to a 2xx answer, or rejects with one of our errors
 * or with the reason of the call's own signal.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the whole life of a call is read in one place
export async function send(
  { url, headers, body }: Omit<Sendable, "method">,
  call: Call,
  sender: Sender,
): Promise<Answer> {
  const { settings, rateLimit } = sender;
  const { operation, signal, maxRetries, timeoutMs } = call;
  const { method } = operation;
  const { clock, authHeader, baseUrl, fetch = platformFetch } = settings;
  signal?.throwIfAborted();
  const began = clock.now();
  let charged: Charged = "no";
  let key = await nextKey(settings, call, charged, 0);
  const own = [key];
  let isRotated = false;
  for (let attempts = 1, retries = 0; ; attempts++) {
    let sentAt = began;
    call.observer?.onKey();
    const outcome = await rateLimit.run({ since: began, isRepeated: maxRetries > 0, signal }, async () => {
      // The user's key function or logger may have aborted the signal since the last check.
      signal?.throwIfAborted();
      const recorded = call.record?.();
      if (recorded) {
        clock[holdClock]?.(recorded);
        await recorded;
      }
      sentAt = clock.now();
      call.observer?.onSend();
      const authorization = authHeader === "authorization" ? `Bearer ${key}` : key;
      const sent = { url, method, headers: { ...headers, [authHeader]: authorization }, body };
      return attempt(fetch, sent, clock, { timeoutMs, signal: recorded ? undefined : signal });
    });
    // An answer may also repeat an earlier key, or the key of another call.
    const secrets = [...new Set([...own, ...settings.apiKey.recent()])];
    const sent = { path: url.slice(baseUrl.length), attempt: attempts, durationMs: clock.now() - sentAt };
    const logAgain = report(outcome, call, sent, sender.log, secrets);
    if (outcome.kind === "aborted") throw signal?.reason;
    const verdict = judge(method, outcome, { isKeyed: call.idempotencyKey !== undefined, charged });
    charged = verdict.charged;
    if (!isRotated && outcome.status === 401 && !outcome.redirected) {
      isRotated = true;
      const previous = key;
      key = await nextKey(settings, call, charged, attempts);
      own.push(key);
      if (key !== previous) {
        logAgain(0);
        continue;
      }
    }
    const isRefused = outcome.status === 429;
    const isLast = isRefused ? clock.now() - began >= longestRefusedMs : retries >= maxRetries;
    if (!verdict.again || maxRetries === 0 || isLast) {
      const { hasSucceeded = false } = sender;
      const isOwnFetch = settings.fetch === undefined;
      const context = { call, path: sent.path, attempts, verdict, baseUrl, isOwnFetch, hasSucceeded };
      const answer = answerOf(outcome, context, (part) => redact(part, secrets));
      sender.hasSucceeded = true;
      return answer;
    }
    // The pause after a 429 is the rate limit's, for all calls.
    const delayMs = isRefused ? rateLimit.pauseMs : retryDelayMs(retries++, outcome.headers);
    logAgain(delayMs);
    if (!isRefused) await abortable<void>(signal, (resolve) => after(clock, delayMs, resolve));
  }
}

/** Logs an attempt and tells the user's `onResponse`. Returns what logs that the request is retried. */
function report(
  outcome: Outcome,
  { operation: { name: operation, method }, jobId, onResponse }: Call,
  { path, attempt, durationMs }: { path: string; attempt: number; durationMs: number },
  log: Log,
  secrets: readonly string[],
): (delayMs: number) => void {
  const status = outcome.kind === "aborted" ? outcome.kind : (outcome.status ?? outcome.kind);
  const line = { operation, method, path, status, attempt };
  log.debug("Sent a request", { ...line, ms: Math.round(durationMs) }, secrets);
  if (outcome.kind === "aborted" && !isRead(method)) {
    const message = "A create was aborted in flight: the service may have charged it";
    log.warn(message, { ...line, jobId: jobIdIn(outcome.text) }, secrets);
  }
  const deprecation = outcome.headers && deprecationIn(outcome.headers);
  if (deprecation)
    log.warnOnce(
      operation,
      "The service says that an operation is deprecated or will end",
      deprecation,
      secrets,
    );
  if (outcome.kind !== "aborted" && outcome.status !== undefined && onResponse.length > 0) {
    // A copy, so that it cannot change the meaning of the answer.
    const headers = new Headers(outcome.headers);
    const answer = { status: outcome.status, headers, requestId: requestIdIn(headers), durationMs };
    const info = redact({ operation, method, path, attempt, ...answer }, secrets);
    const onError = (error: unknown) => log.error("onResponse threw", { operation, jobId, error }, secrets);
    for (const listen of onResponse) runQuietly(() => listen(info), onError);
  }
  return (delayMs) => log.info("Sending a request again", { ...line, delayMs: Math.round(delayMs) }, secrets);
}

/** What the headers of an answer say about the end of its operation, by RFC 9745 and RFC 8594; undefined for nothing. */
function deprecationIn(headers: Headers): Record<string, string> | undefined {
  if (!headers.has("deprecation") && !headers.has("sunset")) return undefined;
  const told = ["deprecation", "sunset", "link"].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(told);
}

/**
 * The next key. An abort ends the wait for a key function, and so does `timeoutMs`. A mock's virtual clock stands still
 * meanwhile, since the mock cannot see the client work.
 */
function nextKey(
  { apiKey, clock }: Settings,
  call: Call,
  charged: Charged,
  attempts: number,
): string | Promise<string> {
  const read = apiKey();
  if (typeof read === "string") return read;
  clock[holdClock]?.(read);
  const known = knownOf(call, charged);
  const { operation, timeoutMs } = call;
  return abortable(call.signal, (resolve, reject) => {
    read.then(resolve, (error) => reject(copyOf(error, known)));
    return after(clock, timeoutMs, () => {
      const message = `${operation.name} timed out: the \`apiKey\` function returned no key within ${timeoutMs} ms.`;
      reject(new TimeoutError(message, { ...known, attempts }));
    });
  });
}
