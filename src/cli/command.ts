// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../package.json";
import { type Arguments, type Options, readArguments, type Usage } from "./arguments.js";
import { printLine, printResult } from "./output.js";
import { UsageError } from "./usage-error.js";

/** Takes what follows its name; resolves to the exit code. */
export type Command = (args: string[]) => Promise<number>;

/** A command that answers `--help`, `--version` and mistakes as all of them do. */
export function defineCommand<Own extends Options>(
  usage: Usage<Own>,
  run: (args: Arguments<Own>) => Promise<number>,
): Command {
  return async (args) => {
    try {
      const read = readArguments(args, usage);
      if (read === "help") return await printed(usage.help);
      if (read === "version") return await printed(`${version}\n`);
      return await run(read);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      printLine(`${error.message}\n\n${usage.synopsis}`);
      return 2;
    }
  };
}

async function printed(text: string): Promise<number> {
  await printResult(text);
  return 0;
}
