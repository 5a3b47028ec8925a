import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, inject, test } from "vitest";
import { textOf } from "../helpers/samples.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { run } from "./run.js";

const readme = textOf("README.md");

/** Runs lines of shell on the mock, one after another; returns what a person sees, the lines included. */
async function recorded(lines: string[]): Promise<string> {
  const folder = temporaryFolder();
  const command = join(folder, "screenshot-sets");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${inject("command")}' "$@"\n`);
  chmodSync(command, 0o755);
  const script = lines.flatMap((line) => [`cat <<'LINE'\n$ ${line}\nLINE`, line]);
  writeFileSync(join(folder, "session.sh"), ["exec 2>&1", `cd '${folder}'`, ...script].join("\n"));
  const PATH = [folder, process.env.PATH].join(delimiter);
  const { stdout } = await run(["mock", "--port", "0", "--", "sh", join(folder, "session.sh")], { PATH });
  return stdout;
}

test("the session in the README matches the output of the command", async () => {
  const [, session = ""] = /^```console\n(.*?)^```$/ms.exec(readme) ?? [];
  const lines = [...session.matchAll(/^\$ (.*)$/gm)].map(([, line = ""]) => line);
  expect(lines.length).toBeGreaterThan(0);
  // Only the durations differ from run to run.
  const timeless = (text: string) => text.replace(/\b\d+(\.\d+)? s\b/g, "0 s");
  expect(timeless(await recorded(lines))).toBe(timeless(session));
});

test("the README names every command, and the page of the command line every exit code", async () => {
  const { stdout } = await run(["--help"]);
  const [, section = ""] = /^## From the command line\n(.*?)^## /ms.exec(readme) ?? [];
  for (const [, command] of stdout.matchAll(/^ {2}([a-z]+) /gm)) expect(section).toContain(`| \`${command}`);
  for (const [, exitCode] of stdout.matchAll(/^ {2}(\d+) /gm))
    expect(textOf("docs/command-line.md")).toMatch(new RegExp(`^\\| .*\\b${exitCode}\\b.* \\| `, "m"));
});
