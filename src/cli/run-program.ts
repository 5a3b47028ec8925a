import { spawn } from "node:child_process";
import { constants } from "node:os";
import { printLine } from "./output.js";
import { printableLine } from "./printable.js";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/**
 * Runs a program with more variables in its environment, and hands on the signals that come meanwhile.
 *
 * @returns its exit code; 128 and the signal's number when a signal ended it, 127 or 126 when it cannot be run, as
 * shells have it
 */
export function runProgram(
  [program = "", ...args]: string[],
  environment: Record<string, string>,
): Promise<number> {
  const forward = (signal: NodeJS.Signals) => {
    if (!comesFromTerminal(signal)) child.kill(signal);
  };
  // Before the program runs: a signal that came in between would end this process alone, and leave that one behind.
  for (const signal of forwarded) process.on(signal, forward);
  const child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: "inherit" });
  return new Promise<number>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      const why = isMissing ? "there is no such command" : (error.code ?? error.message);
      printLine(printableLine(`Cannot run ${program}: ${why}.`));
      resolve(isMissing ? 127 : 126);
    });
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal as NodeJS.Signals]));
  }).finally(() => {
    for (const signal of forwarded) process.removeListener(signal, forward);
  });
}

/** What the keys of a terminal send goes to all that run in it, the program included. */
function comesFromTerminal(signal: NodeJS.Signals): boolean {
  return process.stdin.isTTY === true && (signal === "SIGINT" || signal === "SIGQUIT");
}
