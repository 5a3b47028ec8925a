import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setCost } from "screenshot-sets";
import { beforeEach, expect, inject, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { startIn } from "./installed.js";
import { serve } from "./run.js";

const workflow = readFileSync(new URL("../../examples/batch/workflow.yml", import.meta.url), "utf8");

/** The steps that run something, as they stand there. */
const steps = workflow.split(/^ {6}- /m).flatMap((step) => {
  const [, block, line] = /^ {8}run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/m.exec(step) ?? [];
  const script = block?.replace(/^ {10}/gm, "") ?? line;
  return script === undefined ? [] : [{ script, isAlways: step.includes("if: always()") }];
});

let folder: string;
let environment: Record<string, string>;

/** A remote repository, a clone of its owner's, and an `npm` that installs the built command. */
beforeEach(() => {
  folder = temporaryFolder();
  git("init", "--bare", "--initial-branch=main", "remote");
  git("clone", "remote", "owner");
  mkdirSync(join(folder, "bin"));
  const command = `#!/bin/sh\\nexec "${process.execPath}" "${inject("command")}" "$@"\\n`;
  const npm = `#!/bin/sh
    mkdir -p node_modules/.bin
    printf '${command}' > node_modules/.bin/screenshot-sets
    chmod +x node_modules/.bin/screenshot-sets`;
  writeFileSync(join(folder, "bin", "npm"), npm, { mode: 0o755 });
});

function git(...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
  return execFileSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, OWNER: "yes" },
  } as const).trim();
}

/** Has the remote repository refuse what anybody but its owner pushes to some branches. */
function protect(branches: string): void {
  const hook = `#!/bin/sh
    while read -r old new ref; do
      case "$ref" in ${branches}) test -n "$OWNER" || exit 1 ;; esac
    done`;
  writeFileSync(join(folder, "remote", "hooks", "pre-receive"), hook, { mode: 0o755 });
}

const keyOf = (index: number) => `us/${index}`;

/** Pushes a file with so many sets; returns the commit, which starts a run. */
function push(count: number): string {
  const sets = Array.from({ length: count }, (_, index) => [
    keyOf(index),
    { app: "us", device: "iphone-69" },
  ]);
  const apps = { us: { iosUrl: "https://apps.apple.com/us/app/example/id1" } };
  writeFileSync(join(folder, "owner", "sets.json"), JSON.stringify({ apps, sets: Object.fromEntries(sets) }));
  git("-C", "owner", "add", ".");
  git("-C", "owner", "commit", "--message", "Sets");
  git("-C", "owner", "push", "origin", "HEAD:main");
  return git("-C", "owner", "rev-parse", "HEAD");
}

let runs = 0;

/**
 * Runs the workflow as a runner of GitHub does: after a step that fails, only those that always run.
 *
 * @param duringBatch gets the shell of the batch's step; what it rejects with is that of a runner that is lost
 */
async function runWorkflow({ event = "", again = "", duringBatch = async (_: ChildProcess) => {} } = {}) {
  const name = `run-${runs++}`;
  git("clone", "--no-local", "--depth", "1", "--branch", "main", `file://${folder}/remote`, name);
  if (!/^ {10}ref: \$\{\{ github\.ref_name \}\}$/m.test(workflow)) {
    git("-C", name, "fetch", "origin", event);
    git("-C", name, "checkout", "-B", "main", event);
  }
  const summary = join(folder, `${name}.md`);
  writeFileSync(summary, "");
  const env = {
    ...environment,
    AGAIN: again,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "a/b",
    GITHUB_RUN_ID: String(runs),
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
  };
  let text = "";
  let hasFailed = false;
  for (const { script, isAlways } of steps) {
    if (hasFailed && !isAlways) continue;
    writeFileSync(join(folder, `${name}.sh`), script);
    const step = startIn(join(folder, name), env, ["bash", "-e", join(folder, `${name}.sh`)]);
    if (/screenshot-sets batch/.test(script)) await duringBatch(step.child);
    const [code] = await step.closed;
    text += step.text;
    hasFailed ||= code !== 0;
  }
  const rows = readFileSync(summary, "utf8").trim().split("\n").slice(2).sort();
  return { hasFailed, text, rows, statuses: rows.map((row) => row.split(" | ")[1]) };
}

/** "Cancel run": the step's shell is told twice, and then killed with all that is below it. */
async function cancel(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    // Of the 7.5 and 2.5 seconds of GitHub's, more than a batch needs.
    await Promise.race([ended, sleep(2_000)]);
  }
  if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), "SIGKILL");
}

test("the workflow says how each set ended, and takes the key of one to order once more", async () => {
  const { mock, ...served } = await serve({ lifecycle: "instant", allowance: 1_000 });
  ({ environment } = served);
  mock.fault("reset", { operation: "createScreenshots", when: "after" });
  const event = push(3);
  const first = await runWorkflow({ event });
  expect(first.hasFailed).toBe(true);
  expect(first.statuses.sort()).toEqual(["succeeded", "succeeded", "uncertain"]);
  const [uncertain = ""] = first.rows.filter((row) => row.includes("uncertain"));
  expect(uncertain).toMatch(/\| uncertain \| {2}\| .*may have been charged/);

  const again = await runWorkflow({ event, again: uncertain.split(" ")[1] ?? "" });
  expect(again).toMatchObject({ hasFailed: false, statuses: ["succeeded", "succeeded", "succeeded"] });
  expect(again.rows).toContain(`| ${keyOf(0)} | succeeded | ${setCost} |  |`);
  expect(await runWorkflow({ event })).toMatchObject({ hasFailed: false, rows: again.rows });
  expect(mock.credits.used).toBe(4 * setCost);
});

test("four reruns, two cancels and a queued run beside a protected branch pay for each set once", async () => {
  const { mock, ...served } = await serve({ lifecycle: "instant", allowance: 1_000 });
  ({ environment } = served);
  protect("refs/heads/main");
  const event = push(6);
  const creates = () => mock.requests({ operation: "createScreenshots" }).length;
  const cancelAfter = (sent: number) => async (child: ChildProcess) => {
    await expect.poll(creates).toBe(sent);
    await cancel(child);
  };

  mock.fault({ latencyMs: 1_500 }, { operation: "createScreenshots", when: "after", times: 4 });
  const first = await runWorkflow({ event, duringBatch: cancelAfter(4) });
  expect(first.statuses.filter((status) => status === "skipped")).toHaveLength(2);
  for (let reruns = 0; reruns < 2; reruns++)
    expect((await runWorkflow({ event })).statuses).toEqual(Array(6).fill("succeeded"));

  // One more set has been pushed since the event, and its create takes longer than a runner waits.
  push(7);
  mock.fault("hang", { operation: "createScreenshots" });
  await runWorkflow({ event, duringBatch: cancelAfter(7) });
  for (let reruns = 0; reruns < 2; reruns++) {
    const { statuses } = await runWorkflow({ event });
    expect(statuses).toEqual([...Array(6).fill("succeeded"), "uncertain"]);
  }
  expect(creates()).toBe(7);
});

test("a state that can't be stored is known before anything is sent", async () => {
  const { mock, ...served } = await serve({ lifecycle: "instant" });
  ({ environment } = served);
  const event = push(1);
  protect("refs/heads/*");
  expect(await runWorkflow({ event })).toMatchObject({ hasFailed: true, rows: [] });
  expect(mock.requests()).toEqual([]);
  protect("none");
  expect(await runWorkflow({ event })).toMatchObject({ hasFailed: false });
});

test("a run whose runner was lost with the state ends the next one before anything is sent, in words", async () => {
  const { mock, ...served } = await serve({ lifecycle: "instant" });
  ({ environment } = served);
  const event = push(1);
  const isLost = new Error("The runner is lost");
  const duringBatch = async (child: ChildProcess) => {
    await once(child, "exit");
    throw isLost;
  };
  await expect(runWorkflow({ event, duringBatch })).rejects.toBe(isLost);
  const sent = mock.requests().length;
  const next = await runWorkflow({ event });
  expect(next).toMatchObject({ hasFailed: true, rows: [] });
  expect(next.text).toMatch(
    /^::error::https:\/\/github\.example\/a\/b\/actions\/runs\/\d+ did not store its state\./m,
  );
  expect(mock.requests()).toHaveLength(sent);
  expect(mock.credits.used).toBe(setCost);
});
