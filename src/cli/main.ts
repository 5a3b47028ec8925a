#!/usr/bin/env node
import { createRequire } from "node:module";
import { nearestName } from "../text/nearest-name.js";
import { type Command, defineCommand, UsageError } from "./command.js";
import { endWithNpm } from "./end-with-npm.js";
import { printableLine, printLine, surviveClosedOutput } from "./output.js";
import { variables } from "./usage.js";

// cross-spawn, which the build bundles, is CommonJS and requires Node's modules when `mock` is loaded.
globalThis.require ??= createRequire(import.meta.url);

/** The commands by name. Each is loaded only when it is called. */
const commands: Record<string, () => Promise<Command>> = {
  create: async () => (await import("./commands/create.js")).create,
  batch: async () => (await import("./commands/batch.js")).batch,
  wait: async () => (await import("./commands/wait.js")).wait,
  job: async () => (await import("./commands/job.js")).job,
  verify: async () => (await import("./commands/verify.js")).verify,
  mock: async () => (await import("./commands/mock.js")).mock,
};

const variableLines = Object.entries(variables).map(([name, meaning]) => `  ${name.padEnd(27)}${meaning}`);

/** Handles everything that is typed without the name of a command. */
const withoutName = defineCommand(
  {
    name: "screenshot-sets",
    synopsis: "<create | batch | wait | job | verify | mock> [options]",
    about: `Commands:
  create          plan a screenshot set for an app, and wait for it
  batch FILE      plan many sets within a budget, and go on after a crash
  wait JOB_ID     wait for a job that was accepted before
  job JOB_ID      look at a job once
  verify          compare the service with its document and with the mock
  mock            serve a mock of the service, for tests and first steps

Run screenshot-sets <command> --help for the options of a command.`,
    options: {},
    argument: "command",
    more: `Environment:
${variableLines.join("\n")}

Exit codes:
  0    done
  1    the job or the service failed
  2    wrong usage, or the key or the address is missing
  3    charged, or maybe charged, without a result
  4    of verify: the service could not be asked
  130  interrupted (143 by SIGTERM, 129 when the terminal was closed)

docs/command-line.md in the package has what each asks for, and what --json prints.`,
    examples: [
      "create --mock --ios-url https://apps.apple.com/us/app/example/id1234567890 --device iphone-69",
    ],
  },
  async ({ argument }) => {
    // Anything but a word may be a misplaced key, so it is not repeated.
    if (!/^[a-z]{1,20}$/.test(argument)) throw new UsageError("Unknown command.");
    const meant = nearestName(argument, Object.keys(commands));
    throw new UsageError(`Unknown command ${argument}.${meant ? ` Did you mean ${meant}?` : ""}`);
  },
);

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined) return withoutName([]);
  if (name === "help") return main([...args.slice(0, 1), "--help"]);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return load ? (await load())(args) : withoutName([name]);
}

surviveClosedOutput();
endWithNpm();
main(process.argv.slice(2)).then(
  (exitCode) => {
    process.exitCode = exitCode;
    // An interrupted write that nobody reads must not keep the process alive.
    if (exitCode > 128) process.stderr.write("", () => setTimeout(() => process.exit(), 100).unref());
  },
  (error: unknown) => {
    printLine(printableLine(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  },
);
