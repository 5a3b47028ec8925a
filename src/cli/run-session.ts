import { setTimeout } from "node:timers/promises";
import { ConfigurationError, InvalidRequestError } from "../index.js";
import { UsageError } from "./command.js";
import { reportFailure } from "./failure.js";
import { catchInterrupts, Interrupt } from "./interrupt.js";
import { type Deliver, destination, reasonOf } from "./out-file.js";
import { printableJson, printableLine } from "./output.js";
import { DeliveryError, type Result, refusedIssues, Session } from "./session.js";

interface SessionFlags {
  json?: boolean;
  out?: string;
  verbose?: boolean;
  mock?: boolean;
}

/**
 * Runs a command against the service, or against the embedded mock. The flags say where its result goes; a failure
 * goes to standard error.
 *
 * @returns the exit code
 * @throws {UsageError} when the command was mistyped
 */
export async function runSession(
  flags: SessionFlags,
  work: (session: Session) => Promise<Result>,
): Promise<number> {
  if (!flags.mock) requireEnvironment();
  // Only `--mock` loads the mock.
  const options = flags.mock ? (await import("../mock/index.js")).createMock().clientOptions : {};
  const deliver = await destination(flags.out);
  const { signal, stop } = catchInterrupts();
  try {
    const session = new Session(signal, flags.mock === true, options, flags.verbose);
    return await runIn(session, flags, async () => handOver(await work(session), session, flags, deliver));
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(printableLine(error.message));
    throw error instanceof InvalidRequestError ? refusedIssues(error.issues) : error;
  } finally {
    stop();
  }
}

function requireEnvironment(): void {
  const missing = Object.entries({
    SCREENSHOT_SETS_API_KEY: "your secret key",
    SCREENSHOT_SETS_BASE_URL: "the service's address, which ends in /api/v1",
  }).filter(([name]) => !process.env[name]);
  if (missing.length === 0) return;
  const list = missing.map(([name, meaning]) => `${name} (${meaning})`).join(" and ");
  throw new UsageError(`Missing in the environment: ${list}.`);
}

async function runIn(session: Session, flags: SessionFlags, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return 0;
  } catch (error) {
    // A terminal shows `^C` only after it has sent the signal; text that is written before that may be lost.
    if (error instanceof Interrupt) await setTimeout(50);
    session.progress.close();
    const isRefused = error instanceof ConfigurationError || error instanceof InvalidRequestError;
    if (isRefused && !session.app && !session.accepted) throw error;
    return reportFailure(error, session, flags);
  }
}

async function handOver(
  { value, text }: Result,
  session: Session,
  { json, out }: SessionFlags,
  deliver: Deliver,
): Promise<void> {
  session.progress.close();
  session.hasResult = true;
  try {
    await deliver(json ? `${printableJson(value)}\n` : text, session.signal);
  } catch (cause) {
    if (cause instanceof Interrupt) throw cause;
    const where = out === undefined ? "standard output" : `--out ${out}`;
    throw new DeliveryError(`The result is ready, but cannot be written to ${where}: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}
