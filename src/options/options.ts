// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../package.json";
import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { type ApiKey, keySource } from "../secrets/key.js";
import { type Logger, logLevels } from "../secrets/log.js";
import { type Clock, systemClock } from "../time/clock.js";
import type { ClockHooks } from "../time/clock-hooks.js";
import { checkedBaseUrl } from "./base-url.js";
import { inBrowser } from "./in-browser.js";
import { checkedHeaders } from "./own-headers.js";
import {
  abortSignal,
  type Checked,
  callback,
  count,
  flag,
  milliseconds,
  namedOptions,
  oneOf,
  optional,
  readOptions,
  type Table,
} from "./read-options.js";

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
   * The service's base address, which ends in `/api/v1`. It must use `https`, or `http` to a loopback host; see
   * `dangerouslyAllowHttp`.
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
   * The number of attempts after the first. A create that may have been accepted is retried only with an idempotency key,
   * if the service documents one. A 429 does not count until five minutes have passed since the call began, but with 0 the
   * first one fails the call.
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
   * Receives all log lines; `false` for none. No line has a key or a body. An `error` says that one of your callbacks threw
   * or that the id of a paid job could not be stored, a `warn` what a person should look into although the call goes on,
   * an `info` that a request is retried, a `debug` each attempt.
   * @default the console, for lines from the level in the environment variable `SCREENSHOT_SETS_LOG` upwards: `debug`,
   *   `info`, `warn` (if it is not set), `error` or `off`
   */
  logger?: Logger | false | undefined;
  /**
   * How many polls of waits may be in flight at a time. One that hangs does not count for long.
   * @default 64
   */
  maxConcurrentPolls?: number | undefined;
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
   * Allows the client to run in a browser, where anyone can read its key. A browser also sends a POST again after a kept
   * connection was reset, which no page can prevent, so a create may be charged twice.
   * @default false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Allows plain `http` to any host, which sends the key unencrypted: for a mock in a container of its own.
   * @default false
   */
  dangerouslyAllowHttp?: boolean | undefined;
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

/** The options of a single call; those that have a default have the client's. */
export const requestTable = {
  signal: abortSignal,
  timeoutMs: optional(milliseconds()),
  maxRetries: optional(count()),
  headers: checkedHeaders,
  onResponse: callback<(info: ResponseInfo) => void>(),
} satisfies Table<RequestOptions>;

/** The options of a client. */
export const clientTable = {
  apiKey: keySource,
  baseUrl: (given, _, { dangerouslyAllowHttp }) => checkedBaseUrl(given, dangerouslyAllowHttp === true),
  authHeader: oneOf(["authorization", "x-api-key"], "authorization"),
  timeoutMs: milliseconds(60_000),
  maxRetries: count(2),
  fetch: callback<typeof globalThis.fetch>(),
  clock: (given: Clock & ClockHooks = systemClock) => {
    if (typeof given?.now === "function" && typeof given.sleep === "function") return given;
    throw wrongOption("`clock`", "an object with `now` and `sleep`", given);
  },
  logger: (given: Logger | false | undefined) => {
    if (given === undefined || given === false) return given;
    if (logLevels.every((level) => typeof given?.[level] === "function")) return given;
    throw wrongOption("`logger`", "an object with `debug`, `info`, `warn` and `error`", given);
  },
  maxConcurrentPolls: count(64, 1),
  headers: (given) => ({ ...usualHeaders(), ...checkedHeaders(given) }),
  onResponse: callback<(info: ResponseInfo) => void>(),
  dangerouslyAllowBrowser: flag,
  dangerouslyAllowHttp: flag,
} satisfies Table<ClientOptions>;

/** Observes a call from within the SDK. */
export interface CallObserver {
  /** Called each time a request has its key. It may still have to wait for its turn, after a 429. */
  onKey(): void;
  /** Called each time a request is sent. */
  onSend(): void;
}

/** The options of a client after their checks, with defaults. */
export type Settings = Checked<typeof clientTable>;

/** @throws {ConfigurationError} in a browser, and when an option is missing or malformed */
export function settings(given: ClientOptions): Settings {
  if (inBrowser() && given.dangerouslyAllowBrowser !== true) {
    throw new ConfigurationError(
      "Refused to run in a browser, where anyone can read the API key. Call the service from a server, or set `dangerouslyAllowBrowser: true` if you accept that risk.",
    );
  }
  return readOptions("ScreenshotSets", given, clientTable);
}

/**
 * The options that have a value, including those that an object has from its class. Each is read once.
 *
 * @throws {ConfigurationError} if they are no options of a client
 */
export function givenOptions(taker: string, options: ClientOptions): ClientOptions {
  if (options === null) throw wrongOption(`the options of \`${taker}\``, "an object", options);
  const names = Object.keys(clientTable) as (keyof ClientOptions)[];
  const own: ClientOptions = namedOptions(taker, options, names);
  return Object.fromEntries(
    names.map((name) => [name, own[name]]).filter(([, value]) => value !== undefined),
  );
}

/** A browser sends its own `User-Agent`, and would ask the service whether it may send another one. */
function usualHeaders(): Record<string, string> {
  const accept = "application/json";
  return inBrowser() ? { accept } : { accept, "user-agent": `screenshot-sets/${version}` };
}
