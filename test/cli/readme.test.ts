import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, inject, test } from "vitest";
import { slides } from "../../src/generated/samples.js";
import { filesIn, textOf } from "../helpers/samples.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { run } from "./run.js";

const readme = textOf("README.md");

/** Runs lines of shell, one after another, each told before its output, in the shell of a mock. */
async function recorded(lines: string[], shell = "mock --port 0 -- sh", folder = temporaryFolder()) {
  const command = join(folder, "screenshot-sets");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${inject("command")}' "$@"\n`);
  chmodSync(command, 0o755);
  const script = lines.flatMap((line) => [`cat <<'LINE'\n$ ${line}\nLINE`, line]);
  writeFileSync(join(folder, "session.sh"), ["exec 2>&1", `cd '${folder}'`, ...script].join("\n"));
  const PATH = [folder, process.env.PATH].join(delimiter);
  return (await run([...shell.split(" "), join(folder, "session.sh")], { PATH })).stdout;
}

test("the session in the README matches the output of the command", async () => {
  const [, session = ""] = /^```console\n(.*?)^```$/ms.exec(readme) ?? [];
  const lines = [...session.matchAll(/^\$ (.*)$/gm)].map(([, line = ""]) => line);
  expect(lines.length).toBeGreaterThan(0);
  // Only the durations differ from run to run.
  const timeless = (text: string) => text.replace(/\b\d+(\.\d+)? s\b/g, "0 s");
  // `generate` names the README once the document describes slides: then they are no longer the mock's own.
  const shown = (text: string) => (slides.length > 0 ? text.replace(/^1\. .*?\n\n/ms, "") : text);
  expect(shown(timeless(await recorded(lines)))).toBe(shown(timeless(session)));
});

test("the trial of a batch on the mock ends twice with the same jobs", async () => {
  const section = /^## Try it on the mock\n.*?^```sh\n(.*?)^```$/ms;
  const [, trial = ""] = section.exec(textOf("docs/batches.md")) ?? [];
  const [shell = "", ...lines] = [...trial.matchAll(/^npx screenshot-sets (.*?) *#/gm)].map(
    ([, typed]) => typed,
  );
  const folder = temporaryFolder();
  writeFileSync(join(folder, "sets.json"), textOf("examples/batch/sets.json"));
  const typed = lines.map((line) => `screenshot-sets ${line}`);
  const [, ...runs] = (await recorded(typed, shell, folder)).split(/^\$ .*$/m);
  const ends = runs.map((told) => told.match(/^\S+: succeeded \(.*job_\d+.*$/gm)?.sort());
  expect(ends).toHaveLength(2);
  expect(ends[0]).toHaveLength(4);
  expect(ends[1]).toEqual(ends[0]);
});

test("what pages and samples type of the command line exists, with its flags", async () => {
  const samples = [".md", ".mjs", ".ts", ".yml"].flatMap((end) => filesIn("examples", end));
  const typed = ["README.md", "AGENTS.md", ...filesIn("docs", ".md"), ...samples].flatMap((page) =>
    [...textOf(page).matchAll(/(?:npx |\.bin\/|\$ |`)screenshot-sets ([a-z]+)([^`#\n]*)/g)].map(
      ([, command = "", rest = ""]) => ({
        page,
        command,
        flags: rest.split(" -- ")[0]?.match(/--[a-z-]+/g) ?? [],
      }),
    ),
  );
  expect(typed.length).toBeGreaterThan(10);
  const helps = new Map<string, string>();
  for (const { command } of typed) {
    if (!helps.has(command)) helps.set(command, (await run([command, "--help"])).stdout);
  }
  const unknown = typed.flatMap(({ page, command, flags }) => {
    const help = helps.get(command) ?? "";
    const wrong = flags.filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(help));
    return [
      ...(help === "" ? [`${page}: ${command}`] : []),
      ...wrong.map((flag) => `${page}: ${command} ${flag}`),
    ];
  });
  expect(unknown).toEqual([]);
});

test("the README names every command, and the page of the command line every exit code", async () => {
  const { stdout } = await run(["--help"]);
  const [, section = ""] = /^## From the command line\n(.*?)^## /ms.exec(readme) ?? [];
  for (const [, command] of stdout.matchAll(/^ {2}([a-z]+) /gm)) expect(section).toContain(`| \`${command}`);
  for (const [, exitCode] of stdout.matchAll(/^ {2}(\d+) /gm))
    expect(textOf("docs/command-line.md")).toMatch(new RegExp(`^\\| .*\\b${exitCode}\\b.* \\| `, "m"));
});
