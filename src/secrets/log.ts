import { environment } from "./key.js";
import { redact } from "./redact.js";

/** The levels of log lines, the least important one first. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof logLevels)[number];

/** Receives the SDK's log lines about its requests. Errors that it throws are ignored. */
export type Logger = Record<Level, (message: string, fields?: Record<string, unknown>) => void>;

type Write = (message: string, fields: Record<string, unknown>, secrets?: readonly string[]) => void;

/** Where a client writes its lines. Secrets are removed from them, and errors of the logger are ignored. */
export interface Log extends Record<Level, Write> {
  /** What was warned of once. Copies of a client share it. */
  said: Set<string>;
  /** Warns of something about an operation, which is not said again. */
  warnOnce(
    operation: string,
    message: string,
    fields: Record<string, unknown>,
    secrets?: readonly string[],
  ): void;
}

/**
 * The log of a client.
 *
 * @param logger `false` for none, `undefined` for the console
 * @param known the secrets that may be in a line that does not name its own
 */
export function createLog(logger: Logger | false | undefined, known: () => readonly string[]): Log {
  const to = logger === false ? undefined : (logger ?? consoleLogger());
  const write =
    (level: Level): Write =>
    (message, fields, secrets = known()) => {
      // A logger that fails must not fail a call that may have been paid for.
      runQuietly(() => to?.[level](redact(message, secrets), redact(fields, secrets)));
    };
  const warn = write("warn");
  return {
    debug: write("debug"),
    info: write("info"),
    warn,
    error: write("error"),
    said: new Set(),
    warnOnce(operation, message, fields, secrets) {
      const line = `${operation} ${message}`;
      if (!this.said.has(line)) warn(message, { operation, ...fields }, secrets);
      this.said.add(line);
    },
  };
}

/** The console, as it is at each line, for lines from the level in `SCREENSHOT_SETS_LOG` upwards. */
function consoleLogger(): Logger {
  const given = environment("SCREENSHOT_SETS_LOG")?.toLowerCase() ?? "warn";
  const known: readonly string[] = [...logLevels, "off"];
  const least = known.indexOf(known.includes(given) ? given : "warn");
  const entries = logLevels.map((level, index): [Level, Logger[Level]] => [
    level,
    (message, fields) => {
      // biome-ignore lint/suspicious/noConsole: whoever gave no logger reads it there
      if (index >= least) console[level](`screenshot-sets: ${message}`, fields);
    },
  ]);
  return Object.fromEntries(entries) as Logger;
}

/** Runs a user's function. If it throws or rejects, the error goes to `onError` and nowhere else. */
export function runQuietly(run: () => unknown, onError: (error: unknown) => void = () => {}): void {
  try {
    Promise.resolve(run()).catch(onError);
  } catch (error) {
    onError(error);
  }
}
