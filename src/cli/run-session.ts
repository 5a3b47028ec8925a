import { setTimeout } from "node:timers/promises";
import { type ClientOptions, ConfigurationError, InvalidRequestError } from "../index.js";
import { connect, requireEnvironment } from "./connect.js";
import { exitCodeOf } from "./exit-code.js";
import { describeFailure } from "./failure.js";
import { catchInterrupts, Interrupt } from "./interrupt.js";
import { destination, reasonOf } from "./out-file.js";
import { printLine } from "./output.js";
import { printable, printableJson, printableLine } from "./printable.js";
import { resumableJob, resumeCommand } from "./resume.js";
import { DeliveryError, type Result, type Session, type SessionFlags } from "./session.js";
import { refusedIssues, UsageError } from "./usage-error.js";

interface Settings {
  flags: SessionFlags;
  /** What the fields of a request are called on the command line. */
  names: Record<string, string>;
  /** The embedded mock's, where that takes the service's place. */
  mockOptions?: ClientOptions | undefined;
}

/**
 * Runs a command against the service: its result goes where the flags say, its failure to standard error.
 *
 * @returns the exit code
 * @throws {UsageError} when the command was typed wrongly
 */
export async function runSession(
  { flags, names, mockOptions }: Settings,
  work: (session: Session) => Promise<Result>,
): Promise<number> {
  if (mockOptions === undefined) requireEnvironment();
  const deliver = await destination(flags.out);
  const interrupts = catchInterrupts();
  let session: Session | undefined;
  try {
    const connection = connect(mockOptions ?? {}, flags.verbose === true);
    session = { ...connection, signal: interrupts.signal, isMock: mockOptions !== undefined };
    const result = await work(session);
    session.progress.close();
    session.hasResult = true;
    await handOver(result, flags, (text) => deliver(text, interrupts.signal));
    return 0;
  } catch (error) {
    if (error instanceof Interrupt) await terminalEcho();
    session?.progress.close();
    if (!session?.app && !session?.accepted) refuseUsage(error, names);
    return report(error, session, flags);
  } finally {
    interrupts.stop();
  }
}

/** A terminal shows `^C` only after it has sent the signal: what is written too soon lands before that, or is lost. */
function terminalEcho(): Promise<void> {
  return setTimeout(50);
}

async function handOver(
  { value, text }: Result,
  { json, out }: SessionFlags,
  deliver: (text: string) => Promise<void>,
) {
  try {
    await deliver(json ? `${printableJson(value)}\n` : text);
  } catch (cause) {
    if (cause instanceof Interrupt) throw cause;
    const where = out === undefined ? "standard output" : `--out ${out}`;
    throw new DeliveryError(`The result is there, but cannot be written to ${where}: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

function refuseUsage(error: unknown, names: Record<string, string>): void {
  if (error instanceof ConfigurationError) throw new UsageError(printableLine(error.message));
  if (error instanceof InvalidRequestError) throw refusedIssues(error.issues, names);
}

/** The command that resumes the wait comes last, alone on its line. */
function report(error: unknown, session: Session | undefined, flags: SessionFlags): number {
  printLine(printableLine(describeFailure(error, session)));
  if (flags.verbose) printStack(error);
  const jobId = resumableJob(error, session);
  if (jobId !== undefined) {
    if (session?.isMock)
      printLine("The embedded mock ends with this command. With the service, this would go on waiting:");
    printLine(resumeCommand(jobId, flags));
  }
  return exitCodeOf(error, session);
}

function printStack(error: unknown, depth = 0): void {
  if (!(error instanceof Error) || depth > 5) return;
  const attempts =
    "attempts" in error ? ` after ${error.attempts} ${error.attempts === 1 ? "attempt" : "attempts"}` : "";
  printLine(printable(`${depth > 0 ? "Caused by" : `Thrown${attempts}`}: ${error.stack}`));
  printStack(error.cause, depth + 1);
}
