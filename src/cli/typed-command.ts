import { printableWord } from "../text/printable.js";
import { printLine } from "./output.js";
import { typedName } from "./runner.js";
import type { SessionFlags } from "./session.js";

/**
 * A command of this program, ready to be pasted into a shell.
 *
 * @returns undefined if a word holds what a terminal would act on instead of showing it: nobody could type that
 */
export function commandOf(words: readonly string[]): string | undefined {
  if (words.some((word) => printableWord(word) !== word)) return undefined;
  return [typedName(), ...words.map((word) => shellQuoted(word))].join(" ");
}

/** The words of an option with a value, which is never read as an option itself. */
export function optionWords(name: string, value: string): string[] {
  return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
}

/** The flags that lead a command to the same service. */
const serviceFlags = ["env-file", "dangerously-allow-http"] as const;

/**
 * The command that waits for a job or looks at it, at the same service. The id is never read as an option.
 *
 * @param names the flags that it has too, of those that were typed
 */
export function jobCommand(
  command: "wait" | "job",
  jobId: string,
  flags: SessionFlags,
  names: readonly ("json" | "out")[] = [],
): string | undefined {
  const options = [...names, ...serviceFlags].flatMap((name) => {
    const value = flags[name];
    if (typeof value === "string") return optionWords(name, value);
    return value ? [`--${name}`] : [];
  });
  return commandOf([command, ...(jobId.startsWith("-") ? [...options, "--", jobId] : [jobId, ...options])]);
}

/** Prints the command that waits for a job, alone on the last line. */
export function printWait(jobId: string, flags: SessionFlags): void {
  printWaits("To get the result, run:", [jobId], flags);
}

/** Prints the commands that wait for some jobs. */
export function printWaits(introduction: string, jobIds: readonly string[], flags: SessionFlags): void {
  const commands = jobIds.flatMap((jobId) => {
    const command = jobCommand("wait", jobId, flags, ["json", "out"]);
    if (command !== undefined) return [command];
    const shown = shellQuoted(printableWord(jobId));
    printLine(`No command is printed for job ${shown}, since its id holds control characters.`);
    return [];
  });
  printResume(introduction, commands, flags);
}

/** Prints the commands that go on, each alone on its line, at the end. */
export function printResume(introduction: string, commands: string[], { mock }: SessionFlags): void {
  if (commands.length === 0) return;
  printLine(
    mock ? "The embedded mock ends with this command. With the service, you would now run:" : introduction,
  );
  for (const command of commands) printLine(command);
}

/** Quotes a text as one word of a POSIX shell; on Windows, of PowerShell. */
export function shellQuoted(text: string, platform: string = process.platform): string {
  if (platform !== "win32") {
    // zsh replaces a word that begins with `=` by the path of a program.
    return /^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  }
  // PowerShell splits words that begin with a dash at a dot or a colon, and takes `--` for itself.
  const isPlain = /^(--[a-z][a-z-]*|[\w+:/.\\][\w+:/.\\-]*)$/.test(text);
  // Typographic quotes end a string there too, and each is doubled within one.
  return isPlain ? text : `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}
