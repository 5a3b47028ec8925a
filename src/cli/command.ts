import { parseArgs } from "node:util";
// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../package.json";
import { plural } from "../text/figures.js";
import { nearestName } from "../text/nearest-name.js";
import { errorLine, printableLine, printFree, printLine } from "./output.js";
import { commonOptions, helpOf, type Option, type Options, synopsisOf, type Usage } from "./usage.js";

/** A mistyped command. The message is shown with the usage, and the exit code is 2. */
export class UsageError extends Error {
  override name = "UsageError";

  /** @param lines what they repeat is escaped; those after the first are indented */
  constructor(...lines: string[]) {
    super(lines.map(printableLine).join("\n  "));
  }
}

/** A command of the program: runs with the arguments after its name, and resolves to the exit code. */
export type Command = (args: string[]) => Promise<number>;

interface Arguments<Own extends Options> {
  /** The values of the options, by name. */
  flags: {
    [Name in keyof Own]?: Own[Name] extends { several: true }
      ? string[]
      : Own[Name] extends { value: string }
        ? string
        : boolean;
  };
  /** The one argument; empty for a command that takes none. */
  argument: string;
  /** Everything after `--`. */
  command: string[];
}

/** Defines a command that handles `--help`, `--version` and usage errors the way all commands do. */
export function defineCommand<const Own extends Options>(
  usage: Usage<Own>,
  work: (args: Arguments<Own>) => Promise<number>,
): Command {
  return async (args) => {
    try {
      const read = readArguments(args, usage);
      if (typeof read !== "string") return await work(read);
      await printFree(read === "help" ? helpOf(usage) : `${version}\n`);
      return 0;
    } catch (error) {
      // `mock` prints no JSON, and the options of the command that it runs are not its own.
      const isJson = !usage.takesCommand && process.argv.includes("--json");
      if (isJson) await printFree(errorLine(error)).catch((cause: Error) => printLine(cause.message));
      if (!(error instanceof UsageError)) throw error;
      printLine(`${error.message}\n\n${synopsisOf(usage)}\nRun ${usage.name} --help for more.`);
      return 2;
    }
  };
}

function readArguments<Own extends Options>(
  args: string[],
  usage: Usage<Own>,
): Arguments<Own> | "help" | "version" {
  const options: Options = { ...usage.options, ...commonOptions };
  const end = usage.takesCommand && args.includes("--") ? args.indexOf("--") : args.length;
  const { typed, positionals, firstAt } = parsed(args.slice(0, end), options);
  for (const { name, rawName } of typed) if (!Object.hasOwn(options, name)) refuseKey(name, rawName);
  for (const name of ["help", "version"] as const)
    if (typed.some((token) => token.name === name)) return name;
  const command = args.slice(end + 1);
  if (end < args.length && !command[0]) throw new UsageError("Expected a command after --.");
  // The options after a command would be its own.
  const own = usage.takesCommand ? typed.filter(({ index }) => index < firstAt) : typed;
  const flags = readFlags(own, options) as Arguments<Own>["flags"];
  checkCount(positionals.length, usage);
  return { flags, argument: positionals[0] ?? "", command };
}

function readFlags(typed: OptionToken[], options: Options) {
  const flags: Record<string, string | boolean | (string | boolean)[]> = {};
  for (const token of typed) {
    const { name } = token;
    const value = readValue(token, options, flags);
    flags[name] = options[name]?.several ? [flags[name] ?? [], value].flat() : value;
  }
  return flags;
}

/** Parses without strict mode, whose messages address programmers and repeat what may be a key. */
function parsed(args: string[], options: Options) {
  const types = Object.entries(options).map(([name, { value, short }]) => {
    const type: "string" | "boolean" = value === undefined ? "boolean" : "string";
    return [name, { type, ...(short !== undefined && { short }) }] as const;
  });
  const { tokens, positionals } = parseArgs({
    args,
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return {
    typed: tokens.filter((token) => token.kind === "option"),
    positionals,
    firstAt: tokens.find((token) => token.kind === "positional")?.index ?? Number.POSITIVE_INFINITY,
  };
}

/** Refuses an option that is named like a secret. Its value may be a key, so the message does not repeat it. */
function refuseKey(name: string, rawName: string): void {
  if (!/key|token|secret|passw|auth|bearer|credential/i.test(name)) return;
  throw new UsageError(
    `Refused ${rawName}: other users of this machine can see what is typed, and the shell stores it. Set the key in the environment, as SCREENSHOT_SETS_API_KEY, instead.`,
  );
}

type OptionToken = ReturnType<typeof parsed>["typed"][number];

function readValue(token: OptionToken, options: Options, earlier: object): string | boolean {
  const { name, rawName, value, inlineValue } = token;
  const option = Object.hasOwn(options, name) ? (options[name] as Option) : undefined;
  if (option === undefined) throw new UsageError(`Unknown option ${rawName}.${suggestion(name, options)}`);
  if (option.value === undefined && value === undefined) return true;
  if (option.value === undefined) throw new UsageError(`Expected ${rawName} to stand without a value.`);
  if (Object.hasOwn(earlier, name) && !option.several) throw new UsageError(`Expected ${rawName} once.`);
  if (value === undefined) throw new UsageError(`Expected a value after ${rawName}.`);
  if (inlineValue || !/^-./.test(value)) return value;
  throw new UsageError(`Expected a value after ${rawName}. Write ${rawName}=VALUE if it begins with a dash.`);
}

function suggestion(name: string, options: Options): string {
  const meant = nearestName(name, Object.keys(options));
  return meant === undefined ? "" : ` Did you mean --${meant}?`;
}

function checkCount(count: number, { argument, takesCommand }: Usage): void {
  if (argument !== undefined && count === 0) throw new UsageError(`Expected a ${argument}.`);
  if (count === (argument === undefined ? 0 : 1)) return;
  if (takesCommand) {
    throw new UsageError(
      "Expected -- before the command. `npm exec` and yarn 1 remove it: use npx, or type it twice.",
    );
  }
  const expected = argument === undefined ? "only options" : `one ${argument}`;
  throw new UsageError(
    `Expected ${expected}, got ${plural(count, "argument")}. Quote values that contain spaces.`,
  );
}

/** Reads a whole number from the command line, which may have to be at least `least` and at most `most`. */
export function readInteger(
  rawName: string,
  text: string | undefined,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  if (text === undefined) return undefined;
  const expected = `Expected ${rawName} to be a whole number`;
  if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`${expected}.`);
  const number = Number(text);
  if (number >= least && number <= most) return number;
  const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new UsageError(`${expected} ${range}.`);
}
