import { type ClientOptions, type Logger, ScreenshotSets } from "../index.js";
import { createProgress, type Progress } from "./progress.js";
import { UsageError } from "./usage-error.js";

/** A client, and what can be seen of its requests. */
export interface Connection {
  client: ScreenshotSets;
  progress: Progress;
  /** The operation that was given up while its answer was on the way, so that nobody knows whether it was charged. */
  abortedInFlight(): string | undefined;
}

/** @throws {ConfigurationError} when the environment holds no usable key or address */
export function connect(options: ClientOptions, verbose: boolean): Connection {
  let polls = 0;
  let aborted: string | undefined;
  const now = options.clock?.now ?? (() => performance.now());
  const progress = createProgress({
    stream: process.stderr,
    environment: process.env,
    now,
    polls: () => polls,
  });
  const fetch = options.fetch ?? globalThis.fetch;
  const log = (message: string, fields?: Record<string, unknown>) => {
    if (verbose) progress.say(logLine(message, fields));
  };
  const logger: Logger = {
    debug: log,
    info: log,
    warn(message, fields) {
      if (fields?.status === "aborted") aborted = String(fields.operation);
      log(message, fields);
    },
    error: log,
  };
  const client = new ScreenshotSets({
    ...options,
    logger,
    fetch: (input, init) => {
      if (init?.method === "GET") polls++;
      return fetch(input, init);
    },
  });
  return { client, progress, abortedInFlight: () => aborted };
}

/** What the environment has to hold, in words. */
const variables = {
  SCREENSHOT_SETS_API_KEY: "your secret key",
  SCREENSHOT_SETS_BASE_URL: "the service's address, which ends in /api/v1",
};

/** @throws {UsageError} when the environment lacks the key or the address */
export function requireEnvironment(): void {
  const missing = Object.entries(variables).filter(([name]) => !process.env[name]);
  if (missing.length === 0) return;
  const list = missing.map(([name, meaning]) => `${name} (${meaning})`).join(" and ");
  throw new UsageError(
    `Missing in the environment: ${list}. Please export ${missing.length === 1 ? "it" : "them"}.`,
  );
}

function logLine(message: string, fields: Record<string, unknown> = {}): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const shown = value instanceof Error ? value.message : value;
    return `${name}=${typeof shown === "string" ? shown : JSON.stringify(shown)}`;
  });
  return [message, ...pairs].join(" ");
}
