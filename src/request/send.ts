import { copyOf } from "../errors/copy-of.js";
import { type Charged, ScreenshotSetsError, TimeoutError } from "../errors/errors.js";
import { brokenClock } from "../options/checked-clock.js";
import type { Settings } from "../options/options.js";
import { type Log, runQuietly } from "../secrets/log.js";
import { redact } from "../secrets/redact.js";
import { abortable } from "../time/abortable.js";
import { after, type Clock } from "../time/clock.js";
import { holdClock } from "../time/clock-hooks.js";
import { type Context, interpret, knownOf, requestIdIn } from "./answer.js";
import { jobIdIn } from "./answer-body.js";
import { attempt, type GivenUp, type Outcome, type Request } from "./attempt.js";
import type { Call } from "./call.js";
import { platformFetch } from "./platform-fetch.js";
import { isRead, judge, maybeCharged, retryDelayMs } from "./retry.js";

/** What a call resolves to. */
export interface Answer {
  value: unknown;
  headers: Headers;
  /** The body of the request, as it was sent. */
  sent: string | undefined;
}

/**
 * The boundary between the client and the network. Resolves to the value that the document promises, or rejects with
 * one of our errors or with the reason of the call's own signal.
 */
export async function send(settings: Settings, log: Log, call: Call): Promise<Answer> {
  const { signal, maxRetries } = call;
  const { clock, fetch = platformFetch } = settings;
  signal?.throwIfAborted();
  let charged: Charged = "no";
  let key = await nextKey(settings, call, charged, 0);
  const own = [key];
  // An answer may also repeat an earlier key, or the key of another call.
  const secrets = () => [...new Set([...own, ...settings.key.recent()])];
  let rotated = false;
  for (let attempts = 1, retries = 0; ; attempts++) {
    // The user's key function, logger or clock may have aborted the signal since the last check.
    signal?.throwIfAborted();
    const startedAt = clock.now();
    call.observer?.onSend();
    const outcome = await attempt(fetch, request(settings, call, key), clock, call);
    if (log.enabled) {
      const ms = Math.round(clock.now() - startedAt);
      logSent(log, call, outcome, line(call, attempts, outcome, { ms }), secrets());
    }
    if (isGivenUp(outcome)) throw reasonOf(outcome, call);
    tellOf(outcome, call, attempts, startedAt, { clock, log, secrets });
    const verdict = judge(call.method, outcome, { isKeyed: call.idempotencyKey !== undefined, charged });
    charged = verdict.charged;
    const again = (delayMs: number) =>
      log.warn("Sending a request again", line(call, attempts, outcome, { delayMs }), secrets());
    if (!rotated && outcome.status === 401 && !outcome.redirected) {
      rotated = true;
      const previous = key;
      key = await nextKey(settings, call, charged, attempts);
      own.push(key);
      if (key !== previous) {
        again(0);
        continue;
      }
    }
    if (!verdict.again || retries >= maxRetries) {
      return finish(outcome, { call, attempts, verdict }, secrets());
    }
    const delayMs = retryDelayMs(retries++, outcome.headers);
    again(Math.round(delayMs));
    await pause(clock, delayMs, call, charged);
  }
}

function isGivenUp(outcome: Outcome | GivenUp): outcome is GivenUp {
  return outcome.kind === "aborted" || outcome.kind === "withdrawn" || outcome.kind === "broken clock";
}

function reasonOf(givenUp: GivenUp, call: Call): unknown {
  if (givenUp.kind !== "broken clock") return givenUp.reason;
  return brokenClock({ cause: givenUp.cause, ...knownOf(call, maybeCharged(call.method)) });
}

/** Waits between two attempts. An abort ends the pause at once, even if the clock ignores signals. */
function pause(clock: Clock, ms: number, call: Call, charged: Charged): Promise<void> {
  return abortable<void>(call.signal, (resolve, reject) =>
    after(clock, ms, (broken) =>
      broken ? reject(brokenClock({ ...broken, ...knownOf(call, charged) })) : resolve(),
    ),
  );
}

function logSent(
  log: Log,
  call: Call,
  outcome: Outcome | GivenUp,
  fields: Fields,
  secrets: readonly string[],
): void {
  log.debug("Sent a request", fields, secrets);
  if (outcome.kind === "aborted" && !isRead(call.method)) {
    const jobId = jobIdIn(outcome.text);
    const known = jobId === undefined ? fields : { ...fields, jobId };
    log.warn("A create was aborted in flight: the service may have charged it", known, secrets);
  }
}

/** Calls the user's `onResponse`, with a copy of the headers so that it cannot change the meaning of the answer. */
function tellOf(
  outcome: Outcome,
  call: Call,
  attempt: number,
  startedAt: number,
  { clock, log, secrets }: { clock: Clock; log: Log; secrets: () => readonly string[] },
): void {
  const { status, headers } = outcome;
  const { method, path, jobId, observer } = call;
  const { name: operation } = call.operation;
  const listeners = observer ? [...call.onResponse, ...observer.listeners] : call.onResponse;
  if (status === undefined || listeners.length === 0) return;
  const own = new Headers(headers);
  const requestId = requestIdIn(own);
  const durationMs = clock.now() - startedAt;
  const answer = { operation, method, path, status, headers: own, requestId, attempt, durationMs };
  const info = redact(answer, secrets());
  const onError = (error: unknown) => log.error("onResponse threw", { operation, jobId, error }, secrets());
  for (const tell of listeners) runQuietly(() => tell(info), onError);
}

function request({ baseUrl, authHeader }: Settings, call: Call, key: string): Request {
  const { path, method, headers, body } = call;
  const value = authHeader === "authorization" ? `Bearer ${key}` : key;
  return { url: baseUrl + path, method, headers: { ...headers, [authHeader]: value }, body };
}

/** Interprets the last outcome, and removes the key wherever the answer repeats it. */
function finish(outcome: Outcome, context: Context & { call: Call }, secrets: string[]): Answer {
  const result = interpret(outcome, context, (value) => redact(value, secrets));
  if (result instanceof ScreenshotSetsError) throw result;
  return { value: result.value, headers: outcome.headers as Headers, sent: context.call.body };
}

/** Reads the next key. An abort ends the wait for it, and a mock's virtual clock stands still meanwhile. */
function nextKey(
  settings: Settings,
  call: Call,
  charged: Charged,
  attempts: number,
): string | Promise<string> {
  const read = readKey(settings, call, charged, attempts);
  settings.clock[holdClock]?.(Promise.resolve(read));
  return read;
}

function readKey(
  { key, clock }: Settings,
  call: Call,
  charged: Charged,
  attempts: number,
): string | Promise<string> {
  const read = key();
  if (typeof read === "string") return read;
  const known = knownOf(call, charged);
  const { operation, timeoutMs } = call;
  return abortable(call.signal, (resolve, reject) => {
    read.then(resolve, (error) => reject(copyOf(error, known)));
    return after(clock, timeoutMs, (broken) => {
      const message = `${operation.name} timed out: the \`apiKey\` function returned no key within ${timeoutMs} ms.`;
      reject(
        broken ? brokenClock({ ...broken, ...known }) : new TimeoutError(message, { ...known, attempts }),
      );
    });
  });
}

type Fields = Record<string, unknown>;

function line(call: Call, attempt: number, outcome: Outcome | GivenUp, more: Fields): Fields {
  const status = isGivenUp(outcome) ? outcome.kind : (outcome.status ?? outcome.kind);
  const { operation, method, path } = call;
  return { operation: operation.name, method, path, status, attempt, ...more };
}
