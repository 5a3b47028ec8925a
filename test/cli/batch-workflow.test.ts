import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setCost } from "screenshot-sets";
import { beforeEach, expect, inject, test } from "vitest";
import { serve } from "./run.js";

const examples = fileURLToPath(new URL("../../examples/batch/", import.meta.url));
const workflow = readFileSync(join(examples, "workflow.yml"), "utf8");

/** The scripts of the steps, as they stand there. */
const steps = [...workflow.matchAll(/^ {8}run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(
  ([, block, line]) => block?.replace(/^ {10}/gm, "") ?? line ?? "",
);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "workflow-"));
  return () => rmSync(folder, { recursive: true, force: true });
});

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });

/** Makes a repository that has the sets, and a program that stands for `npx`. */
function prepare(): void {
  git("init", "--bare", "--initial-branch=main", "remote");
  git("clone", "remote", "first");
  cpSync(join(examples, "sets.json"), join(folder, "first", "sets.json"));
  git("-C", "first", "add", ".");
  git("-C", "first", "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--message", "Sets");
  git("-C", "first", "push", "origin", "HEAD:main");
  mkdirSync(join(folder, "bin"));
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${inject("command")}" "$@"\n`;
  writeFileSync(join(folder, "bin", "npx"), npx, { mode: 0o755 });
}

/** Runs the steps of the workflow in a clone of their own, with the shell of GitHub; all of them "always". */
async function runWorkflow(name: string, environment: Record<string, string>) {
  git("clone", "remote", name);
  const summary = join(folder, `${name}.md`);
  const env = {
    ...{ ...process.env, ...environment, GITHUB_STEP_SUMMARY: summary },
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
  };
  const codes: unknown[] = [];
  for (const script of steps) {
    const child = spawn("bash", ["-e", "-c", script], { cwd: join(folder, name), env, stdio: "ignore" });
    codes.push((await once(child, "exit"))[0]);
  }
  return { codes, rows: readFileSync(summary, "utf8").trim().split("\n").slice(2).sort() };
}

test("the workflow keeps what was paid for between two runs, and says how each set ended", async () => {
  prepare();
  const { mock, environment } = await serve({ lifecycle: "instant", allowance: 1_000 });
  mock.fault("reset", { operation: "createScreenshots", when: "after" });
  const first = await runWorkflow("one", environment);
  expect(first.codes).toEqual([3, 0, 0]);
  expect(first.rows).toHaveLength(4);
  const [uncertain = "", ...others] = first.rows.sort((row) => (row.includes("uncertain") ? -1 : 1));
  expect(uncertain).toMatch(/\| uncertain \| {2}\| .*may have been charged/);
  for (const row of others) expect(row).toContain(`| succeeded | ${setCost} |  |`);

  const again = await runWorkflow("two", { ...environment, AGAIN: uncertain.split(" ")[1] ?? "" });
  expect(again.codes).toEqual([0, 0, 0]);
  expect(again.rows).toHaveLength(4);
  for (const row of again.rows) expect(row).toContain("| succeeded |");
  const last = await runWorkflow("three", environment);
  expect(last).toEqual(again);
  // One was ordered once more.
  expect(mock.credits.used).toBe(5 * setCost);
});
