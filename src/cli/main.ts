#!/usr/bin/env node
// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../package.json";
import { create } from "./create.js";
import { UsageError } from "./usage-error.js";

const usage = `Usage: screenshot-sets <command> [options]

Commands:
  create   create an app from a store listing and plan a screenshot set for it

Options:
  --help      show this help
  --version   show the version

Run screenshot-sets <command> --help for its options.
`;

const commands: Record<string, (args: string[]) => Promise<number>> = { create };

async function main([name, ...args]: string[]): Promise<number> {
  if (name === "--version") {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (name === "--help" || name === "-h") {
    process.stdout.write(usage);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    throw new UsageError(name === undefined ? "Expected a command." : `Unknown command ${name}.`, usage);
  }
  return command(args);
}

main(process.argv.slice(2)).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    const wrongUsage = error instanceof UsageError;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (wrongUsage) process.stderr.write(`\n${error.usage}`);
    process.exitCode = wrongUsage ? 2 : 1;
  },
);
