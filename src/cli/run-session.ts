import { parseEnv } from "node:util";
import { ConfigurationError, InvalidRequestError } from "../index.js";
import { type Issue, issueText } from "../schema/parse.js";
import { longestTimerMs } from "../time/clock.js";
import { UsageError } from "./command.js";
import { DeliveryError, inFlags, reportFailure } from "./failure.js";
import { textOf } from "./input-file.js";
import { afterEcho, catchInterrupts, Interrupt } from "./interrupt.js";
import { Destination } from "./out-file.js";
import { isReaderGone, printableJson, unwritten } from "./output.js";
import type { Result } from "./result.js";
import { Session, type SessionFlags } from "./session.js";
import { printWait } from "./typed-command.js";
import { type Options, variables } from "./usage.js";

/** Options of every command that talks to the service. */
export const sessionOptions = {
  json: { help: "print the result as JSON" },
  out: { value: "FILE", help: "write the result to a file" },
  verbose: { help: "show each attempt, and where an error comes from" },
  "env-file": {
    value: "FILE",
    help: "set the variables of a file, such as .env, but those that are set already",
  },
  "dangerously-allow-http": { help: "allow an http address of another machine, for a mock in a container" },
} as const satisfies Options;

/** Options of the commands that also wait for a job. */
export const waitOptions = {
  timeout: {
    value: "SECONDS",
    help: "how long to wait for the job (default 600); the job continues after that",
  },
  ...sessionOptions,
} as const satisfies Options;

/** The note in the `--help` of every command that talks to the service. */
export const environmentNote = `The key and the address come from ${Object.keys(variables).join(" and ")}.`;

/**
 * Runs a command against the service, or against the embedded mock. The flags decide where its result goes; failures go
 * to standard error.
 *
 * @returns the exit code
 * @throws {UsageError} when the command was mistyped
 */
export async function runSession(
  flags: SessionFlags,
  work: (session: Session) => Promise<Result>,
): Promise<number> {
  await loadEnvironment(flags["env-file"]);
  if (!flags.mock) checkEnvironment();
  // Only `--mock` loads the mock.
  const options = flags.mock ? (await import("../mock/index.js")).createMock().clientOptions : {};
  const out = await Destination.of(flags.out);
  const { signal, stop } = catchInterrupts();
  let session: Session | undefined;
  try {
    const dangerouslyAllowHttp = flags["dangerously-allow-http"];
    session = new Session(signal, { ...options, dangerouslyAllowHttp }, out, flags);
    const result = await work(session);
    await handOver(result, session, flags);
    if (session.leftJob !== undefined) printWait(session.leftJob, { ...flags, out: undefined });
    return result.exitCode ?? 0;
  } catch (error) {
    if (error instanceof Interrupt) await afterEcho();
    session?.live.close();
    const mistake = mistakeIn(error);
    if (!session || (mistake && !session.app && !session.accepted)) throw mistake ?? error;
    return await reportFailure(error, session);
  } finally {
    stop();
  }
}

/**
 * Sets the variables of a file, as `node --env-file` does.
 *
 * @throws {UsageError} when it cannot be read
 */
export async function loadEnvironment(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const variables = parseEnv(await textOf(file, `--env-file ${file}`));
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}

/** @throws {UsageError} when the environment holds no key or no address */
function checkEnvironment(): void {
  const missing = Object.entries(variables).filter(([name]) => !process.env[name]);
  if (missing.length === 0) return;
  const list = missing.map(([name, meaning]) => `${name} (${meaning})`).join(" and ");
  throw new UsageError(`Missing in the environment: ${list}. A file can hold them: --env-file FILE.`);
}

/** Converts an error of the client to a usage error, if the client refused what was typed. */
export function mistakeIn(error: unknown): UsageError | undefined {
  if (error instanceof UsageError) return error;
  if (error instanceof ConfigurationError) return new UsageError(inFlags(error.message));
  return error instanceof InvalidRequestError ? refusedIssues(error.issues, { id: "JOB_ID" }) : undefined;
}

async function handOver({ value, text }: Result, session: Session, { json }: SessionFlags): Promise<void> {
  session.live.close();
  session.hasResult = true;
  if (text === undefined) return;
  const shown = json && value !== undefined ? `${printableJson(value)}\n` : text;
  await deliver(shown, session.out, session.signal, session.isPaid);
}

/**
 * Writes a result.
 *
 * @param isPaid whether a reader that has gone is a failure
 * @throws {DeliveryError} when it cannot be written
 */
export async function deliver(
  text: string,
  destination: Destination,
  signal: AbortSignal,
  isPaid: boolean,
): Promise<void> {
  try {
    await destination.write(text, signal);
    await destination.close(signal);
  } catch (cause) {
    if (cause instanceof Interrupt) throw cause;
    if (isReaderGone(cause) && !isPaid) return;
    const problem = unwritten(destination.path, cause, "The result is ready, but cannot be written");
    throw new DeliveryError(problem, { cause });
  }
}

/** The client's issues with a request, in the terms of the command line. */
export function refusedIssues(issues: Issue[], typedAs: Record<string, string>): UsageError {
  const words = issues.map(({ path, message }) => issueText({ path: typedAs[path] ?? path, message }));
  return new UsageError(`${words.join("; ")}.`);
}

/** Converts the seconds of `--timeout` to the option of a wait. */
export function readTimeout(text: string | undefined): { timeoutMs?: number } {
  if (text === undefined) return {};
  if (!/^(\d+\.?\d*|\.\d+)$/.test(text)) {
    throw new UsageError("Expected --timeout to be a number of seconds.");
  }
  const timeoutMs = Number(text) * 1000;
  if (timeoutMs <= longestTimerMs) return { timeoutMs };
  throw new UsageError(`Expected --timeout to be at most ${Math.floor(longestTimerMs / 1000)} seconds.`);
}
