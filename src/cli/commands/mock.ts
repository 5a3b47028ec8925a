import { openMock } from "../../mock/create-mock.js";
import type { Listener } from "../../mock/index.js";
import { lifecycleForms, readLifecycle } from "../../mock/lifecycle.js";
import { defineCommand, readInteger, UsageError } from "../command.js";
import { catchInterrupts, type Interrupt } from "../interrupt.js";
import { printableLine, printFree, printLine } from "../output.js";
import { recordedIn } from "../recorded-file.js";
import { runProgram } from "../run-program.js";

const defaultPort = 4010;

/** `screenshot-sets mock`. */
export const mock = defineCommand(
  {
    name: "screenshot-sets mock",
    synopsis: "[--port N] [--allowance N] [--lifecycle HOW] [--recorded FILE] [--no-page] [-- COMMAND ...]",
    about: `Serves a mock of the service on this machine. Without a command, it prints its address and a key, for a shell to
evaluate, and serves until it is interrupted. With a command, it runs that with both set, and exits with its code.`,
    options: {
      port: {
        value: "N",
        help: `the port; 0 for any free one (default ${defaultPort}, with a command 0)`,
      },
      host: {
        value: "H",
        help: "the address to listen on (default 127.0.0.1); other machines and containers reach 0.0.0.0",
      },
      "allow-host": {
        value: "NAME",
        several: true,
        help: "a further host name under which the page answers, such as that of a container; may be repeated",
      },
      "id-prefix": {
        value: "P",
        help: "put before the ids of apps and jobs; without a command, one is drawn at each start and reset unless this is given, so that a database never meets an id twice",
      },
      allowance: { value: "N", help: "the account's monthly credits" },
      lifecycle: {
        value: "HOW",
        help: `how jobs proceed: ${lifecycleForms}`,
      },
      recorded: {
        value: "FILE",
        help: "answer as the service was seen to, in a file that `screenshot-sets verify --out FILE` writes",
      },
      "no-page": {
        help: "serve neither the page that shows what the mock does (its address is on standard error) nor its control API below /_mock/",
      },
    },
    takesCommand: true,
    examples: ["mock --lifecycle 2s,5s", "mock -- npm test"],
  },
  async ({ flags, command }) => {
    const port = readInteger("--port", flags.port, 0, 65_535) ?? (command.length > 0 ? 0 : defaultPort);
    let listener: Listener;
    let apiKey: string;
    try {
      const idPrefix = flags["id-prefix"];
      const options = {
        clock: "system",
        allowance: readInteger("--allowance", flags.allowance, 0),
        lifecycle: flags.lifecycle === undefined ? undefined : readLifecycle(flags.lifecycle),
        idPrefix,
        recorded: await recordedIn(flags.recorded),
      } as const;
      const isBesideDatabase = idPrefix === undefined && command.length === 0;
      const service = openMock(options, isBesideDatabase ? drawIdPrefix : undefined);
      apiKey = service.clientOptions.apiKey;
      listener = await service.listen({
        port,
        host: flags.host,
        allowedHosts: flags["allow-host"],
        page: !flags["no-page"],
      });
    } catch (error) {
      if (isWrongUsage(error)) throw mistakeOfMock(error);
      printLine(cannotListen(port, error));
      return 1;
    }
    const environment = {
      SCREENSHOT_SETS_BASE_URL: listener.url,
      SCREENSHOT_SETS_API_KEY: apiKey,
    };
    if (listener.pageUrl) printLine(`The mock's page is at ${listener.pageUrl}`);
    try {
      if (command.length === 0) return await serve(environment);
      return await runProgram(command, { ...environment, ...withoutProxy(listener.url) });
    } finally {
      await listener.close();
    }
  },
);

/** A database outlives this mock, and must not meet another set under an id of an earlier one. */
const drawIdPrefix = (): string => `${crypto.randomUUID().slice(0, 6)}-`;

/** Serves until a signal arrives. */
async function serve(environment: Record<string, string>): Promise<number> {
  const { signal } = catchInterrupts();
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${value}\n`);
  await printFree(exports.join(""));
  printLine("The mock is running. Press Ctrl-C to stop it.");
  await ended;
  return (signal.reason as Interrupt).exitCode;
}

function isWrongUsage(error: unknown): error is Error {
  return [TypeError, RangeError, UsageError].some((one) => error instanceof one);
}

/** What the mock refuses, in the words of the command line. */
function mistakeOfMock({ message }: Error): UsageError {
  const typed = {
    "`host`": "--host",
    "`allowedHosts`": "--allow-host",
    "`idPrefix`": "--id-prefix",
    "`lifecycle`": "--lifecycle",
  };
  const words = Object.entries(typed).reduce((text, [name, flag]) => text.replace(name, flag), message);
  return new UsageError(words.replace(/\.?$/, "."));
}

/** Exempts the mock from proxies, in both spellings: programs differ in which one they read. */
function withoutProxy(url: string): Record<string, string> {
  const own = new Set([new URL(url).hostname, "127.0.0.1", "localhost", "::1"]);
  const { NO_PROXY, no_proxy } = process.env;
  const extended = (list = "") =>
    list.trim() === "*" ? list : [...list.split(",").filter(Boolean), ...own].join();
  return { NO_PROXY: extended(NO_PROXY ?? no_proxy), no_proxy: extended(no_proxy ?? NO_PROXY) };
}

function cannotListen(port: number, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const problem = { EADDRINUSE: "is in use", EACCES: "is not open to this user" }[code ?? ""];
  if (problem === undefined) return printableLine(message);
  return `Port ${port} ${problem}. Choose another with --port, or any free one with --port 0.`;
}
