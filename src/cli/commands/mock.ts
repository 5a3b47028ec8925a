import { createMock, type Listener } from "../../mock/index.js";
import { readInteger } from "../arguments.js";
import { defineCommand } from "../command.js";
import { catchInterrupts, type Interrupt } from "../interrupt.js";
import { printLine, printResult } from "../output.js";
import { printableLine } from "../printable.js";
import { readLifecycle } from "../read-lifecycle.js";
import { runProgram } from "../run-program.js";
import { UsageError } from "../usage-error.js";

const defaultPort = 4010;

const synopsis = `Usage: screenshot-sets mock [--port ${defaultPort}] [--allowance N] [--lifecycle instant|manual|Np,Mp|Ns,Ms] [-- COMMAND ...]
Run screenshot-sets mock --help for more.`;

const help = `Usage: screenshot-sets mock [options] [-- COMMAND ...]

Runs the mock of the service on this machine. Without a command it prints the address and the key to use, for a shell
to evaluate, and serves until it is interrupted. With one it runs that with both set, and exits as it does.

Options:
  --port N             the port on 127.0.0.1, ${defaultPort} if not given; 0 for any that is free
  --allowance N        the account's monthly credits
  --lifecycle HOW      how jobs proceed: instant, manual (they stay queued),
                       Np,Mp for N looks queued and M running, Ns,Ms for seconds
  --help, -h           show this help
  --version            show the version

Examples:
  screenshot-sets mock --lifecycle 2s,5s
  screenshot-sets mock -- npm test
`;

const options = {
  port: { type: "string" },
  allowance: { type: "string" },
  lifecycle: { type: "string" },
} as const;

/** `screenshot-sets mock`. */
export const mock = defineCommand(
  { synopsis, help, options, takesCommand: true },
  async ({ flags, command }) => {
    const port = readNumber("--port", flags.port, 65_535) ?? defaultPort;
    const service = createMock({
      clock: "system",
      allowance: readNumber("--allowance", flags.allowance, Number.MAX_SAFE_INTEGER),
      lifecycle: readLifecycle(flags.lifecycle),
    });
    let listener: Listener;
    try {
      listener = await service.listen({ port });
    } catch (error) {
      printLine(cannotListen(port, error));
      return 1;
    }
    const environment = {
      SCREENSHOT_SETS_BASE_URL: listener.url,
      SCREENSHOT_SETS_API_KEY: service.clientOptions.apiKey,
    };
    try {
      return await (command.length > 0 ? runProgram(command, environment) : serve(environment));
    } finally {
      await listener.close();
    }
  },
);

/** Serves until a signal comes. */
async function serve(environment: Record<string, string>): Promise<number> {
  const { signal } = catchInterrupts();
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${value}\n`);
  await printResult(exports.join(""));
  printLine("The mock is running. Ctrl-C ends it.");
  await ended;
  return (signal.reason as Interrupt).exitCode;
}

function readNumber(rawName: string, text: string | undefined, largest: number): number | undefined {
  const number = readInteger(rawName, text);
  if (number === undefined || (number >= 0 && number <= largest)) return number;
  throw new UsageError(
    `Expected ${rawName} to be a whole number from 0${largest < 1e6 ? ` to ${largest}` : " on"}.`,
  );
}

function cannotListen(port: number, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return `Port ${port} is in use. Please choose another with --port, or --port 0 for any that is free.`;
  }
  if (code === "EACCES") {
    return `Port ${port} may not be used by this user. Please choose another with --port, or --port 0 for any that is free.`;
  }
  return printableLine(message);
}
