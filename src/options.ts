import { ConfigurationError, type ErrorDetails } from "./errors/errors.js";
import { unknownOption } from "./nearest-name.js";
import { type ApiKey, environment, type KeySource, keySource } from "./secrets/key.js";
import type { Logger } from "./secrets/log.js";
import { type Clock, systemClock } from "./time/clock.js";
import type { ClockHooks } from "./time/clock-hooks.js";

/** Options of `new ScreenshotSets()`. */
export interface ClientOptions {
  /**
   * The secret key of your account, or a function that gives it: called once a call, and again after a 401.
   * @default the environment variable `SCREENSHOT_SETS_API_KEY`
   */
  apiKey?: ApiKey | undefined;
  /**
   * The service's base address, which ends in `/api/v1` (section 1 of the service's document). `https`, or `http` to a loopback host.
   * @default the environment variable `SCREENSHOT_SETS_BASE_URL`
   */
  baseUrl?: string | undefined;
  /**
   * The header that carries the key; the service takes either (section 5).
   * @default "authorization"
   */
  authHeader?: "authorization" | "x-api-key" | undefined;
  /**
   * How long one attempt may take, in milliseconds, from sending it to the last byte of the answer's body.
   * @default 60_000
   */
  timeoutMs?: number | undefined;
  /**
   * Attempts after the first. What may have been accepted is never sent again, whatever this says.
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * Another implementation of `fetch`, such as one that uses a proxy.
   * @default `globalThis.fetch`, looked up at each call
   */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The time that every delay, attempt time-out and deadline runs on.
   * @default the system's clock, on the global `setTimeout` and `performance.now` as they are at each call
   */
  clock?: Clock | undefined;
  /**
   * Takes what the SDK has to say of its requests. It never gets a key or a body.
   * @default none
   */
  logger?: Logger | undefined;
  /**
   * What earlier clients learned of how long jobs take, from their `learned()`, of any version: texts of several are
   * joined by putting one after the other. What makes no sense is ignored with a `warn`.
   * @default none
   */
  learned?: string | undefined;
  /**
   * Allows the client in a browser, where everyone can read its key.
   * @default false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The name of every option of a client. */
const clientOptions: Record<keyof ClientOptions, true> = {
  apiKey: true,
  baseUrl: true,
  authHeader: true,
  timeoutMs: true,
  maxRetries: true,
  fetch: true,
  clock: true,
  logger: true,
  learned: true,
  dangerouslyAllowBrowser: true,
};

/** Options of a single call. */
export interface RequestOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * How long one attempt may take, in milliseconds.
   * @default the client's
   */
  timeoutMs?: number | undefined;
  /**
   * Attempts after the first.
   * @default the client's
   */
  maxRetries?: number | undefined;
}

/** The client's options, checked, with their defaults. */
export interface Settings {
  key: KeySource;
  /** Without a slash at its end. */
  baseUrl: string;
  authHeader: "authorization" | "x-api-key";
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof globalThis.fetch | undefined;
  clock: Clock & ClockHooks;
  logger: Logger | undefined;
  /** Not checked yet. */
  learned: unknown;
}

/** @throws {ConfigurationError} when an option is missing or malformed */
export function settings(options: ClientOptions): Settings {
  if (typeof options !== "object" || options === null) throw wrong("the options", "an object", options);
  if (inBrowser() && options.dangerouslyAllowBrowser !== true) {
    throw new ConfigurationError(
      "Refused to run in a browser, where anyone can read the API key. Call the service from a server, or set `dangerouslyAllowBrowser: true` if you accept that risk.",
    );
  }
  const unknown = unknownOption("`ScreenshotSets`", options, Object.keys(clientOptions));
  if (unknown) throw new ConfigurationError(unknown);
  const { authHeader = "authorization", clock = systemClock, fetch, logger } = options;
  const { timeoutMs = 60_000, maxRetries = 2 } = options;
  if (authHeader !== "authorization" && authHeader !== "x-api-key") {
    throw wrong("`authHeader`", '"authorization" or "x-api-key"', authHeader);
  }
  checkedCallback("fetch", fetch);
  if (typeof clock?.now !== "function" || typeof clock.sleep !== "function") {
    throw wrong("`clock`", "an object with `now` and `sleep`", clock);
  }
  for (const level of ["debug", "info", "warn", "error"] as const) {
    if (logger !== undefined && typeof logger?.[level] !== "function") {
      throw wrong("`logger`", "an object with `debug`, `info`, `warn` and `error`", logger);
    }
  }
  return {
    key: keySource(options.apiKey),
    baseUrl: checkedBaseUrl(options.baseUrl),
    authHeader,
    timeoutMs: checkedMs("timeoutMs", timeoutMs),
    maxRetries: checkedCount("maxRetries", maxRetries),
    fetch,
    clock,
    logger,
    learned: options.learned,
  };
}

/** Milliseconds: not negative, not NaN; `Infinity` is for ever. */
export function checkedMs(name: string, value: number): number {
  if (typeof value === "number" && value >= 0) return value;
  throw wrong(`\`${name}\``, "a number of milliseconds, 0 or more", value);
}

/** A whole number that is not negative. */
export function checkedCount(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw wrong(`\`${name}\``, "a non-negative integer", value);
}

/** A function, or nothing. */
export function checkedCallback<Callback>(name: string, value: Callback): Callback {
  if (value === undefined || typeof value === "function") return value;
  throw wrong(`\`${name}\``, "a function", value);
}

/** What ends a call or a wait whose clock lets no time pass. */
export function brokenClock(details?: ErrorDetails): ConfigurationError {
  return new ConfigurationError(
    "Expected `clock.sleep` to take as long as it is told on `clock.now`, and to reject only when its signal aborts.",
    details,
  );
}

function wrong(what: string, expected: string, value: unknown): ConfigurationError {
  const got = typeof value === "number" ? value : value === null ? "null" : typeof value;
  return new ConfigurationError(`Expected ${what} to be ${expected}, got ${got}.`);
}

/** Messages never repeat the URL: it may hold a password. */
function checkedBaseUrl(option: string | undefined): string {
  const given = option ?? environment("SCREENSHOT_SETS_BASE_URL");
  if (given === undefined) {
    throw new ConfigurationError(
      "The base URL is missing. Set the environment variable SCREENSHOT_SETS_BASE_URL or pass `baseUrl`, the service's address ending in /api/v1.",
    );
  }
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(given)) {
    throw new ConfigurationError("Expected the base URL to be an absolute http(s) URL.");
  }
  if (url.username || url.password || /[?#]|^https?:\/\/[^/]*@/i.test(given)) {
    throw new ConfigurationError(
      "Expected the base URL to have no user information, no query and no fragment.",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      "Refused a base URL that would send the API key unencrypted. Use https; plain http is allowed to loopback hosts only.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** `URL` has already brought the host to its one spelling, so `0x7f.1` arrives here as `127.0.0.1`. */
function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(host);
}

/**
 * Servers that render pages may define one of the two without the other, or both as `undefined`. The page of a test
 * runner is none of a browser, where anyone could read the key.
 */
function inBrowser(): boolean {
  const { window, document = window?.document } = globalThis as {
    window?: { document?: unknown };
    document?: unknown;
  };
  return window !== undefined && document !== undefined && !inTestRunner();
}

/** jsdom and happy-dom name themselves in their user agents; where a test changed that, a global of theirs is left. */
function inTestRunner(): boolean {
  const { process, navigator, jsdom, happyDOM } = globalThis as {
    process?: { versions?: { node?: string } };
    navigator?: { userAgent?: string };
    jsdom?: unknown;
    happyDOM?: unknown;
  };
  if (!process?.versions?.node) return false;
  return /\b(jsdom|HappyDOM)\//.test(navigator?.userAgent ?? "") || Boolean(jsdom ?? happyDOM);
}
