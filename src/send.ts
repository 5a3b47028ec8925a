import { type Context, interpret, type Question } from "./answer.js";
import { type Aborted, attempt, type Outcome } from "./attempt.js";
import type { Clock } from "./clock.js";
import { holdClock } from "./clock-hooks.js";
import { copyOf, ScreenshotSetsError } from "./errors.js";
import type { Log } from "./log.js";
import { onAbort } from "./on-abort.js";
import type { Settings } from "./options.js";
import { redact } from "./redact.js";
import type { Request } from "./request-init.js";
import { isRead, judge, retryDelayMs } from "./retry.js";

/** One call of an operation, ready to be sent. */
export interface Call extends Question {
  /** The JSON text of the body. */
  body: string | undefined;
  signal: AbortSignal | undefined;
  maxRetries: number;
  /** Called each time a request goes out. */
  onSend?: (() => void) | undefined;
}

/** What a call resolves to. */
export interface Answer {
  value: unknown;
  headers: Headers;
}

/**
 * The seam between the client and the network: a call in, the value that the document promises or one of our
 * errors out. Nothing else, but for the reason of the call's own signal.
 */
export async function send(settings: Settings, log: Log, call: Call): Promise<Answer> {
  const { signal, maxRetries } = call;
  signal?.throwIfAborted();
  let key = await nextKey(settings, call);
  const secrets = [key];
  let rotated = false;
  for (let attempts = 1, retries = 0; ; attempts++) {
    // The user's key function, logger and clock have run since the last look at the signal.
    signal?.throwIfAborted();
    const startedAt = settings.clock.now();
    call.onSend?.();
    const outcome = await attempt(settings.fetch, request(settings, call, key), settings.clock, call);
    if (log.enabled) {
      const ms = Math.round(settings.clock.now() - startedAt);
      logSent(log, call, outcome, line(call, attempts, outcome, { ms }), key);
    }
    if (outcome.kind === "aborted") throw outcome.reason;
    const verdict = judge(call.method, outcome);
    const again = (delayMs: number) =>
      log.warn("Sending a request again", line(call, attempts, outcome, { delayMs }), secrets);
    if (!rotated && outcome.status === 401 && !outcome.redirected) {
      rotated = true;
      const previous = key;
      key = await nextKey(settings, call);
      secrets.push(key);
      if (key !== previous) {
        again(0);
        continue;
      }
    }
    if (!verdict.again || retries >= maxRetries) {
      return finish(outcome, { call, attempts, verdict }, secrets);
    }
    const delayMs = retryDelayMs(retries++, outcome.headers);
    again(Math.round(delayMs));
    await pause(settings.clock, delayMs, signal);
  }
}

/**
 * Sleeps on the clock's own terms, but for an abort: a clock made of other parts may not hear of it, or reject with an
 * error of its own. It adds a listener to the signal for each sleep, so it gets one of ours.
 */
async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const deafen = onAbort(signal, () => controller.abort(signal?.reason));
  try {
    const asleep = clock.sleep(ms, controller.signal);
    await (signal === undefined ? asleep : raced(asleep, signal));
  } finally {
    deafen();
  }
}

function logSent(log: Log, { method }: Call, { kind }: Outcome | Aborted, fields: Fields, key: string): void {
  log.debug("Sent a request", fields, [key]);
  if (kind === "aborted" && !isRead(method)) {
    log.warn("A create was aborted in flight: the service may have charged it", fields, [key]);
  }
}

function request({ baseUrl, authHeader }: Settings, { method, path, body }: Call, key: string): Request {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  headers[authHeader] = authHeader === "authorization" ? `Bearer ${key}` : key;
  return { url: baseUrl + path, method, headers, body };
}

/** What the last outcome means, without the key where the answer repeats it. */
function finish(outcome: Outcome, context: Context, secrets: string[]): Answer {
  const result = interpret(outcome, context, (value) => redact(value, secrets));
  if (result instanceof ScreenshotSetsError) throw result;
  return { value: result.value, headers: outcome.headers as Headers };
}

/** The next key; the wait for it ends with the signal, and takes no time of a mock's. */
function nextKey(settings: Settings, call: Call): string | Promise<string> {
  const read = readKey(settings, call);
  settings.clock[holdClock]?.(Promise.resolve(read));
  return read;
}

function readKey({ key }: Settings, { signal, jobId }: Call): string | Promise<string> {
  const read = key();
  if (typeof read === "string") return read;
  const named = read.catch((error) => {
    throw copyOf(error, { jobId });
  });
  return signal === undefined ? named : raced(named, signal);
}

function raced<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    // The key function, which has run already, may have aborted: then no event is to come.
    if (signal.aborted) abort();
    promise.finally(onAbort(signal, abort)).then(resolve, reject);
  });
}

type Fields = Record<string, unknown>;

function line(call: Call, attempts: number, outcome: Outcome | Aborted, more: Fields): Fields {
  const status = outcome.kind === "aborted" ? outcome.kind : (outcome.status ?? outcome.kind);
  return { operation: call.name, method: call.method, path: call.path, status, attempt: attempts, ...more };
}
