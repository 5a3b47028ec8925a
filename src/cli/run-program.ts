import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import spawn from "cross-spawn";
import { printableLine, printLine } from "./output.js";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Runs a program as a shell would, on Windows scripts too, and forwards signals to it. Resolves to its exit code, or to what shells use if it has none. */
export async function runProgram(
  [program = "", ...args]: string[],
  environment: Record<string, string>,
): Promise<number> {
  let child: ChildProcess | undefined;
  const forward = (signal: NodeJS.Signals) => {
    if (!comesFromTerminal(signal)) child?.kill(signal);
  };
  // Registered before the program starts, or a signal could end only this process and leave the program running.
  for (const signal of forwarded) process.on(signal, forward);
  try {
    child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: "inherit" });
    const [code, signal] = await once(child, "exit");
    return code ?? 128 + constants.signals[signal as NodeJS.Signals];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    const why = isMissing ? "there is no such command" : (code ?? message);
    printLine(printableLine(`Cannot run ${program}: ${why}.`));
    return isMissing ? 127 : 126;
  } finally {
    for (const signal of forwarded) process.removeListener(signal, forward);
  }
}

/** Whether a signal comes from a key of the terminal, which sends it to the program directly. */
function comesFromTerminal(signal: NodeJS.Signals): boolean {
  return process.stdin.isTTY === true && (signal === "SIGINT" || signal === "SIGQUIT");
}
