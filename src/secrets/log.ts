import { redact } from "./redact.js";

/** Receives the SDK's log lines about its requests. Errors that it throws are ignored. */
export type Logger = Record<
  "debug" | "info" | "warn" | "error",
  (message: string, fields?: Record<string, unknown>) => void
>;

type Write = (message: string, fields: Record<string, unknown>, secrets?: readonly string[]) => void;

/** The user's logger, if there is one. Secrets are removed from its lines, and its errors are ignored. */
export type Log = Record<"debug" | "warn" | "error", Write>;

/**
 * The log of a client, which writes nothing without a logger.
 *
 * @param known the secrets that may be in a line that does not name its own
 */
export function createLog(logger: Logger | undefined, known: () => readonly string[]): Log {
  const write =
    (level: keyof Logger): Write =>
    (message, fields, secrets = known()) => {
      // A logger that fails must not fail a call that may have been paid for.
      runQuietly(() => logger?.[level](message, redact(fields, secrets)));
    };
  return { debug: write("debug"), warn: write("warn"), error: write("error") };
}

/** Runs a user's function. If it throws or rejects, the error goes to `onError` and nowhere else. */
export function runQuietly(run: () => unknown, onError: (error: unknown) => void = () => {}): void {
  try {
    Promise.resolve(run()).catch(onError);
  } catch (error) {
    onError(error);
  }
}
