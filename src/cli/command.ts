import { parseArgs } from "node:util";
// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../package.json";
import { printLine, printResult } from "./output.js";

/** The command was mistyped: the message is shown with the usage, and the exit code is 2. */
export class UsageError extends Error {}

/** Takes the arguments after its name; resolves to the exit code. */
export type Command = (args: string[]) => Promise<number>;

type Options = Record<string, { type: "string" | "boolean"; short?: string }>;

/** How a command is typed. */
interface Usage<Own extends Options = Options> {
  /** What `--help` prints. Its first line is also printed with every mistake. */
  help: string;
  options: Own;
  /** The name of its one argument, if it takes one. */
  argument?: string;
  /** Whether it takes another command after `--`. */
  takesCommand?: boolean;
}

interface Arguments<Own extends Options> {
  /** Values by the names of the options. */
  flags: { [Name in keyof Own]?: Own[Name]["type"] extends "string" ? string : boolean };
  /** The one argument; empty for a command that takes none. */
  argument: string;
  /** Everything after `--`. */
  command: string[];
}

/** A command that handles `--help`, `--version` and mistakes the way all of them do. */
export function defineCommand<Own extends Options>(
  usage: Usage<Own>,
  run: (args: Arguments<Own>) => Promise<number>,
): Command {
  return async (args) => {
    try {
      const read = readArguments(args, usage);
      if (typeof read !== "string") return await run(read);
      await printResult(read === "help" ? usage.help : `${version}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const [, synopsis, name] = /^(Usage: (screenshot-sets(?: [a-z]+)?).*)/.exec(usage.help) ?? [];
      printLine(`${error.message}\n\n${synopsis}\nRun ${name} --help for more.`);
      return 2;
    }
  };
}

function readArguments<Own extends Options>(
  args: string[],
  usage: Usage<Own>,
): Arguments<Own> | "help" | "version" {
  const options: Options = {
    ...usage.options,
    help: { type: "boolean", short: "h" },
    version: { type: "boolean" },
  };
  const end = usage.takesCommand && args.includes("--") ? args.indexOf("--") : args.length;
  // Not strict, because the messages of strict mode address programmers and repeat what may be a key.
  const { tokens, positionals } = parseArgs({
    args: args.slice(0, end),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const typed = tokens.filter((token) => token.kind === "option");
  for (const { name, rawName } of typed) if (!Object.hasOwn(options, name)) refuseKey(name, rawName);
  for (const name of ["help", "version"] as const)
    if (typed.some((token) => token.name === name)) return name;
  const flags: Record<string, string | boolean> = {};
  for (const token of typed) flags[token.name] = readValue(token, options, flags);
  const command = args.slice(end + 1);
  if (end < args.length && !command[0]) throw new UsageError("Expected a command after --.");
  checkCount(positionals.length, usage);
  return { flags: flags as Arguments<Own>["flags"], argument: positionals[0] ?? "", command };
}

/** The value may well be a key, so it is not repeated. */
function refuseKey(name: string, rawName: string): void {
  if (!/key|token|secret|passw|auth|bearer|credential/i.test(name)) return;
  throw new UsageError(
    `Refused ${rawName}: other users of this machine can see what is typed, and the shell stores it. Set the key in the environment, as SCREENSHOT_SETS_API_KEY, instead.`,
  );
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function readValue(token: OptionToken, options: Options, earlier: object): string | boolean {
  const { name, rawName, value, inlineValue } = token;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) throw new UsageError(`Unknown option ${rawName}.`);
  if (option.type === "boolean" && value === undefined) return true;
  if (option.type === "boolean") throw new UsageError(`Expected ${rawName} to stand without a value.`);
  if (Object.hasOwn(earlier, name)) throw new UsageError(`Expected ${rawName} once.`);
  if (value === undefined) throw new UsageError(`Expected a value after ${rawName}.`);
  if (inlineValue || !/^-./.test(value)) return value;
  throw new UsageError(`Expected a value after ${rawName}. Write ${rawName}=VALUE if it begins with a dash.`);
}

function checkCount(count: number, { argument, takesCommand }: Usage): void {
  if (argument !== undefined && count === 0) throw new UsageError(`Expected a ${argument}.`);
  if (count === (argument === undefined ? 0 : 1)) return;
  if (takesCommand) throw new UsageError("Expected -- before the command.");
  const expected = argument === undefined ? "only options" : `one ${argument}`;
  const got = count === 1 ? "1 argument" : `${count} arguments`;
  throw new UsageError(`Expected ${expected}, got ${got}. Quote values that contain spaces.`);
}

/** The seconds of `--timeout`, as an option of a wait. */
export function readTimeout(text: string | undefined): { timeoutMs?: number } {
  if (text === undefined) return {};
  if (/^(\d+\.?\d*|\.\d+)$/.test(text)) return { timeoutMs: Number(text) * 1000 };
  throw new UsageError("Expected --timeout to be a number of seconds.");
}

/** A whole number as typed. */
export function readInteger(rawName: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`Expected ${rawName} to be a whole number.`);
}
