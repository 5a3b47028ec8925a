import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";

/** The shell script of a step of a workflow, and the values of its environment that no expression gives. */
function stepOf(workflow: string, name: string) {
  const text = readFileSync(new URL(`../../.github/workflows/${workflow}`, import.meta.url), "utf8");
  const step = text.split(`name: ${name}\n`)[1]?.split(/^ {6}- |^ {2}\w/m)[0] ?? "";
  const script = /^ {8}run: \|\n((?: {10}.*\n|\n)+)/m.exec(step)?.[1] ?? "";
  const environment = [...step.matchAll(/^ {10}([A-Z_]+): ([^$\n]+)$/gm)].map(([, key, value]) => [
    key,
    value,
  ]);
  return { script, environment: Object.fromEntries(environment) as Record<string, string> };
}

const folder = mkdtempSync(path.join(tmpdir(), "screenshot-sets-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [bin, log, output, summary] = ["bin", "gh.txt", "output.txt", "summary.txt"].map((name) =>
  path.join(folder, name),
) as [string, string, string, string];
mkdirSync(bin);
// In place of `gh`, a program that writes down what it is asked.
writeFileSync(
  path.join(bin, "gh"),
  `#!/bin/sh\nprintf '%s|' "$@" >> "${log}"; echo >> "${log}"\n[ "$1 $2" = "issue list" ] && echo "$OPEN_ISSUES"\ntrue\n`,
  { mode: 0o755 },
);

/** Runs a step as the workflow does. */
function run(workflow: string, name: string, own: Record<string, string>) {
  for (const file of [log, output, summary]) writeFileSync(file, "");
  const { script, environment } = stepOf(workflow, name);
  expect(script).not.toBe("");
  const { status, stdout } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: {
      ...{ PATH: `${bin}:${process.env.PATH}`, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
      ...{ RUN: "https://example.com/run/7", ...environment, ...own },
    },
  });
  const asked = readFileSync(log, "utf8").split("\n").filter(Boolean);
  return {
    exitCode: status,
    asked,
    stdout,
    output: readFileSync(output, "utf8"),
    summary: readFileSync(summary, "utf8"),
  };
}

test.each(["regenerate.yml", "verify.yml"])("%s opens one issue, which names the run", (workflow) => {
  const open = (count: string) => run(workflow, "Open an issue, unless one is open", { OPEN_ISSUES: count });
  const { exitCode, asked } = open("0");
  const { TITLE } = stepOf(workflow, "Open an issue, unless one is open").environment;
  expect(exitCode).toBe(0);
  expect(asked).toEqual([
    expect.stringContaining(`|in:title "${TITLE}"|`),
    expect.stringMatching(
      new RegExp(`^issue\\|create\\|--title\\|${TITLE}\\|--body\\|.*https://example.com/run/7`),
    ),
  ]);
  expect(open("1")).toMatchObject({ exitCode: 0, asked: [expect.stringMatching(/^issue\|list\|/)] });
});

/** Puts a program in the place of the built one. */
function build(exitCode: number): void {
  mkdirSync(path.join(folder, "dist/cli"), { recursive: true });
  const program = `console.log(process.argv.slice(2).join()); console.error("::error::"); process.exitCode = ${exitCode};`;
  writeFileSync(path.join(folder, "dist/cli/main.js"), program);
}

const compare = "Compare it with the document and the mock";

test.each([
  { code: 0, exitCode: 0, output: "" },
  { code: 1, exitCode: 0, output: "differs=true\n" },
  { code: 2, exitCode: 2, output: "" },
  { code: 3, exitCode: 0, output: "differs=true\n" },
])("where a key is given, exit code $code of verify means: $output", ({ code, ...expected }) => {
  build(code);
  const { summary, ...ended } = run("verify.yml", compare, { SCREENSHOT_SETS_API_KEY: "ss_live_key" });
  expect(ended).toMatchObject(expected);
  // Without --spend, and with nothing in the log that could be a command to the runner.
  expect([summary, ended.stdout]).toEqual(["    verify\n    ::error::\n", ""]);
});

test("where no key is given, nothing is asked", () => {
  build(1);
  expect(run("verify.yml", compare, { SCREENSHOT_SETS_API_KEY: "" })).toMatchObject({
    ...{ exitCode: 0, output: "", summary: "" },
  });
});
