import { redact } from "./redact.js";

/** Takes what the SDK has to say of its requests. What it throws is ignored. */
export type Logger = Record<
  "debug" | "info" | "warn" | "error",
  (message: string, fields?: Record<string, unknown>) => void
>;

type Write = (message: string, fields: Record<string, unknown>, secrets?: readonly string[]) => void;

/** The user's logger, where there is one: without secrets, and without what it throws. */
export interface Log extends Record<"debug" | "warn" | "error", Write> {
  readonly enabled: boolean;
}

/**
 * The log of a client, which writes nothing where there is no logger.
 *
 * @param known the secrets that a line may hold which names none of its own
 */
export function createLog(logger: Logger | undefined, known: () => readonly string[]): Log {
  const write =
    (level: keyof Logger): Write =>
    (message, fields, secrets = known()) => {
      // A logger that fails must not fail a call that may have been paid for.
      runQuietly(() => logger?.[level](message, redact(fields, secrets)));
    };
  return {
    enabled: logger !== undefined,
    debug: write("debug"),
    warn: write("warn"),
    error: write("error"),
  };
}

/** Runs a function of the user's whose failure, at once or later, goes to `onError` and nowhere else. */
export function runQuietly(run: () => unknown, onError: (error: unknown) => void = () => {}): void {
  try {
    Promise.resolve(run()).catch(onError);
  } catch (error) {
    onError(error);
  }
}
