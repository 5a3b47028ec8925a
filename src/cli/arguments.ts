import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.js";

export type Options = Record<string, { type: "string" | "boolean"; short?: string }>;

/** How a command is typed. */
export interface Usage<Own extends Options = Options> {
  /** Shown with every mistake: one line, or a few. */
  synopsis: string;
  /** What `--help` shows. */
  help: string;
  options: Own;
  /** What its one argument is called, where it takes one. */
  argument?: string;
  /** Whether it takes a command after `--`. */
  takesCommand?: boolean;
}

/** What was typed, by the names of the options. */
export type Flags<Own extends Options> = {
  [Name in keyof Own]?: Own[Name]["type"] extends "string" ? string : boolean;
};

export interface Arguments<Own extends Options> {
  flags: Flags<Own>;
  /** The one argument; empty for a command that takes none. */
  argument: string;
  /** What stands after `--`. */
  command: string[];
}

const everywhere = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/**
 * What the arguments of a command mean, or that its help or the version is asked for.
 *
 * @throws {UsageError} for any that it does not take, and for a key
 */
export function readArguments<Own extends Options>(
  args: string[],
  usage: Usage<Own>,
): Arguments<Own> | "help" | "version" {
  const options = { ...usage.options, ...everywhere };
  // Not strict: its messages speak to programmers, and repeat what may be a key.
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const typed = tokens.filter((token) => token.kind === "option");
  for (const { name, rawName } of typed) refuseKey(name, rawName, options);
  for (const name of ["help", "version"] as const) {
    if (typed.some((token) => token.name === name)) return name;
  }
  const flags: Record<string, string | boolean> = {};
  for (const token of typed) flags[token.name] = readValue(token, options, flags);
  const end = tokens.find((token) => token.kind === "option-terminator")?.index ?? args.length;
  const free = tokens.filter((token) => token.kind === "positional");
  const command = usage.takesCommand ? args.slice(end + 1) : [];
  if (usage.takesCommand && end < args.length && !command[0]) {
    throw new UsageError("Expected a command after --.");
  }
  const given = usage.takesCommand ? free.filter(({ index }) => index < end) : free;
  checkCount(given.length, usage);
  return { flags: flags as Flags<Own>, argument: given[0]?.value ?? "", command };
}

/** The value is not repeated: it may well be a key. */
export function refuseKey(name: string, rawName: string, options: Options = {}): void {
  if (Object.hasOwn(options, name) || !/key|token|secret|passw|auth|bearer|credential/i.test(name)) return;
  throw new UsageError(
    `Refused ${rawName}: other users of this machine see what is typed, and the shell keeps it. Please set the key in the environment, as SCREENSHOT_SETS_API_KEY, instead.`,
  );
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function readValue(token: OptionToken, options: Options, earlier: Record<string, unknown>): string | boolean {
  const { name, rawName, value, inlineValue } = token;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) throw new UsageError(`Unknown option ${rawName}.`);
  if (option.type === "boolean") {
    if (value !== undefined) throw new UsageError(`Expected ${rawName} to stand without a value.`);
    return true;
  }
  if (Object.hasOwn(earlier, name)) throw new UsageError(`Expected ${rawName} once.`);
  if (value === undefined) throw new UsageError(`Expected a value after ${rawName}.`);
  if (!inlineValue && /^-./.test(value)) {
    throw new UsageError(
      `Expected a value after ${rawName}. Please write ${rawName}=VALUE for one that begins with a dash.`,
    );
  }
  return value;
}

function checkCount(count: number, { argument, takesCommand }: Usage): void {
  if (argument !== undefined && count === 0) throw new UsageError(`Expected a ${argument}.`);
  if (count === (argument === undefined ? 0 : 1)) return;
  if (takesCommand) throw new UsageError("Expected -- before the command.");
  const expected = argument === undefined ? "only options" : `one ${argument}`;
  throw new UsageError(
    `Expected ${expected}, got ${count} ${count === 1 ? "argument" : "arguments"}. Please quote what holds spaces.`,
  );
}

/** A number of seconds as typed, in milliseconds. */
export function readSeconds(rawName: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(\d+\.?\d*|\.\d+)$/.test(text)) return Number(text) * 1000;
  throw new UsageError(`Expected ${rawName} to be a number of seconds.`);
}

/** A whole number as typed. */
export function readInteger(rawName: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`Expected ${rawName} to be a whole number.`);
}
