// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../package.json";
import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { checkedBaseUrl } from "../secrets/base-url.js";
import { inBrowser } from "../secrets/in-browser.js";
import { type ApiKey, keySource } from "../secrets/key.js";
import type { Logger } from "../secrets/log.js";
import { checkedHeaders } from "../secrets/own-headers.js";
import { type Clock, systemClock } from "../time/clock.js";
import { checkedClock } from "./checked-clock.js";
import { checkedCallback, checkedCount, checkedMs, checkedOptions } from "./checked-options.js";

/** An answer that has arrived, whatever its status. */
export interface ResponseInfo {
  /** The operation of the OpenAPI document, such as `getJob`. */
  operation: string;
  /** The method of the request, in upper case. */
  method: string;
  /** The path as it was sent, below the base URL. */
  path: string;
  /** The status of the answer. */
  status: number;
  /** A copy of the answer's headers, without the key. */
  headers: Headers;
  /** The answer's `x-request-id`, or a proxy's equivalent. */
  requestId: string | undefined;
  /** The attempt of the call that it answers: 1 for the first. */
  attempt: number;
  /** The time from sending the request to the last byte of the answer that arrived, in milliseconds. */
  durationMs: number;
}

/** Options of `new ScreenshotSets()`. */
export interface ClientOptions {
  /**
   * The secret key of your account, or a function that returns it, called once per call and again after a 401. A function
   * that takes longer than `timeoutMs` ends the call with a `TimeoutError`.
   * @default the environment variable `SCREENSHOT_SETS_API_KEY`
   */
  apiKey?: ApiKey | undefined;
  /**
   * The service's base address, which ends in `/api/v1`. It must use `https`, or `http` to a loopback host.
   * @default the environment variable `SCREENSHOT_SETS_BASE_URL`
   */
  baseUrl?: string | undefined;
  /**
   * The header that carries the key; the service accepts either.
   * @default "authorization"
   */
  authHeader?: "authorization" | "x-api-key" | undefined;
  /**
   * How long one attempt may take, in milliseconds, from sending it to the last byte of the answer's body.
   * @default 60_000
   */
  timeoutMs?: number | undefined;
  /**
   * The number of attempts after the first. A create that may have been accepted is not sent again in any case.
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * Another implementation of `fetch`, such as one that uses a proxy.
   * @default `globalThis.fetch`, looked up at each call
   */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The clock on which every delay, attempt time-out and deadline runs.
   * @default the system's clock: the global `setTimeout` and `performance.now`, looked up at each call
   */
  clock?: Clock | undefined;
  /**
   * Receives the SDK's log lines about its requests. It never receives a key or a body.
   * @default none
   */
  logger?: Logger | undefined;
  /**
   * How many polls of waits may be in flight at a time. A poll that has been in flight for three seconds no longer
   * counts, so that polls that hang do not hold up the others.
   * @default 64
   */
  maxConcurrentPolls?: number | undefined;
  /**
   * What earlier clients learned about how long jobs take: the text of their `learned()`, from any version. To join the
   * texts of several clients, concatenate them. Invalid parts are ignored with a `warn`.
   * @default none
   */
  learned?: string | undefined;
  /**
   * Headers sent with every request, in addition to a `User-Agent` with the package's name and version. Headers that
   * carry the key, describe the body or belong to the connection are refused.
   * @default none
   */
  headers?: Record<string, string> | undefined;
  /**
   * Called for each answer, including those of polls and of attempts that are retried: for request ids, timings and
   * metrics. An error that it throws is logged and ignored.
   * @default none
   */
  onResponse?: ((info: ResponseInfo) => void) | undefined;
  /**
   * Allows the client to run in a browser, where anyone can read its key.
   * @default false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The names of all options of a client. */
export const clientOptions: Record<keyof ClientOptions, true> = {
  apiKey: true,
  baseUrl: true,
  authHeader: true,
  timeoutMs: true,
  maxRetries: true,
  fetch: true,
  clock: true,
  logger: true,
  maxConcurrentPolls: true,
  learned: true,
  headers: true,
  onResponse: true,
  dangerouslyAllowBrowser: true,
};

/** The options of a client that have a value, including those that an object has from its class. */
export function givenOptions(taker: string, options: ClientOptions): ClientOptions {
  const own = checkedOptions(taker, options, clientOptions);
  const all = Object.keys(clientOptions).map((name) => [name, own[name as keyof ClientOptions]]);
  const given = all.filter(([, value]) => value !== undefined);
  return Object.assign(Object.create(null), Object.fromEntries(given));
}

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * How long one attempt may take, in milliseconds.
   * @default the client's
   */
  timeoutMs?: number | undefined;
  /**
   * The number of attempts after the first.
   * @default the client's
   */
  maxRetries?: number | undefined;
  /** Headers sent in addition to the client's. They replace the client's headers of the same name. */
  headers?: Record<string, string> | undefined;
  /** Called for each answer, after the client's `onResponse`. An error that it throws is logged and ignored. */
  onResponse?: ((info: ResponseInfo) => void) | undefined;
}

/** The names of all options of a call. */
export const requestOptions: Record<keyof RequestOptions, true> = {
  signal: true,
  timeoutMs: true,
  maxRetries: true,
  headers: true,
  onResponse: true,
};

/** Observes a call from within the SDK. */
export interface CallObserver {
  /** Called each time a request is sent. */
  onSend(): void;
  /** The callbacks that receive an answer; read when it has arrived. */
  readonly listeners: readonly ((info: ResponseInfo) => void)[];
}

/** The options of a client after their checks, with defaults. */
export type Settings = ReturnType<typeof settings>;

/** @throws {ConfigurationError} when an option is missing or malformed */
export function settings(given: ClientOptions) {
  if (given === null) throw wrongOption("the options of `ScreenshotSets`", "an object", given);
  const options: ClientOptions = checkedOptions("ScreenshotSets", given, clientOptions);
  if (inBrowser() && options.dangerouslyAllowBrowser !== true) {
    throw new ConfigurationError(
      "Refused to run in a browser, where anyone can read the API key. Call the service from a server, or set `dangerouslyAllowBrowser: true` if you accept that risk.",
    );
  }
  const { authHeader = "authorization", clock = systemClock, fetch, logger } = options;
  const { timeoutMs = 60_000, maxRetries = 2, maxConcurrentPolls = 64 } = options;
  if (authHeader !== "authorization" && authHeader !== "x-api-key") {
    throw wrongOption("`authHeader`", '"authorization" or "x-api-key"', authHeader);
  }
  checkedCallback("fetch", fetch);
  for (const level of ["debug", "info", "warn", "error"] as const) {
    if (logger !== undefined && typeof logger?.[level] !== "function") {
      throw wrongOption("`logger`", "an object with `debug`, `info`, `warn` and `error`", logger);
    }
  }
  return {
    key: keySource(options.apiKey),
    /** Without a trailing slash. */
    baseUrl: checkedBaseUrl(options.baseUrl),
    authHeader,
    timeoutMs: checkedMs("timeoutMs", timeoutMs),
    maxRetries: checkedCount("maxRetries", maxRetries),
    fetch,
    clock: checkedClock(clock),
    logger,
    maxConcurrentPolls: checkedCount("maxConcurrentPolls", maxConcurrentPolls, 1),
    /** Not checked yet. */
    learned: options.learned,
    /** The headers of every request, by lower-case name. */
    headers: { ...usualHeaders(), ...checkedHeaders(options.headers) },
    onResponse: checkedCallback("onResponse", options.onResponse),
  };
}

/** A browser sends its own `User-Agent`, and would ask the service whether it may send another one. */
function usualHeaders(): Record<string, string> {
  const accept = "application/json";
  return inBrowser() ? { accept } : { accept, "user-agent": `screenshot-sets/${version}` };
}
