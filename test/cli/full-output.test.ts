import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, expect, inject, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { accept, lastLine, leastFlags, run, serve } from "./run.js";

/** Runs the command in a shell, which decides where its standard output goes. */
async function runIn(script: string, args: string[], environment: Record<string, string> = {}) {
  const { PATH = "" } = process.env;
  const child = spawn("sh", ["-c", script, process.execPath, inject("command"), ...args], {
    env: { PATH, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code, stderr };
}
const ontoFullDisk = 'exec "$0" "$@" > /dev/full';

let folder: string;
let sets: string;
beforeEach(() => {
  folder = temporaryFolder();
  sets = join(folder, "sets.json");
  const set = { appId: "app_1", device: "iphone-69" };
  writeFileSync(sets, JSON.stringify({ sets: { a: set, b: { ...set, device: "ipad-pro" } } }));
});

const waits = "screenshot-sets wait job_2";
const spend = ["--spend", "10", "--app-id", "app_1"];

// Job 1 was accepted by another process before.
test.runIf(existsSync("/dev/full")).each<[args: string[], code: number, last?: string]>([
  [["--help"], 1],
  [["batch", "--version"], 1],
  [["mock", "--port", "0"], 1],
  [["job", "job_1"], 1],
  [["job", "job_1", "--json"], 1],
  [["job", "job_1", "--json", "--out", "-"], 1],
  [["wait", "job_1"], 1, "screenshot-sets wait job_1"],
  [["verify"], 1],
  [["verify", "--json"], 1],
  [["verify", ...spend], 3, waits],
  [["batch", "FILE", "--dry-run"], 1],
  [["batch", "FILE"], 3, "screenshot-sets batch FILE"],
  [["batch", "FILE", "--json"], 3, "screenshot-sets batch FILE --json"],
  [["batch", "FILE", "--max-credits", "0"], 1],
  [["create", ...leastFlags], 3, waits],
  [["create", ...leastFlags, "--no-wait", "--json"], 3, `${waits} --json`],
  [["create", ...leastFlags, "--device", "ipad-pro"], 3, expect.stringMatching(/ wait job_[23]$/)],
  // The error is on standard error, too.
  [["create", "--json"], 2],
  [["job", "unknown", "--json"], 1],
])("%j tells that standard output is full, and exits %i", async (typed, code, last) => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  await accept(mock);
  const withFile = (word: string) => word.replace("FILE", sets);
  const ended = await runIn(ontoFullDisk, typed.map(withFile), environment);
  expect(ended.code, ended.stderr).toBe(code);
  // Once: nothing is written after a part of a result.
  expect(ended.stderr.match(/ to standard output: no space left on device\.( |$)/gm)).toHaveLength(1);
  const expected = typeof last === "string" ? withFile(last) : last;
  if (last !== undefined) expect(lastLine(ended.stderr)).toEqual(expected);
});

test("an --out file that is full exits 3 where sets were paid for in this run, and 1 where they were before", async () => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  await accept(mock);
  const args = ["batch", sets, "--json", "--out", "/dev/full"];
  for (const code of [3, 1]) {
    const ended = await runIn('exec "$0" "$@"', args, environment);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(/^Cannot write to --out \/dev\/full: no space left on device\.$/m);
  }
});

test("what was charged is told in JSON beside an --out file that is full", async () => {
  const { environment } = await serve({ lifecycle: "instant" });
  const { stdout } = await run(["create", ...leastFlags, "--json", "--out", "/dev/full"], environment);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { name: "DeliveryError", charged: "yes", jobId: "job_1" },
  });
});

test.each(["batch", "create"])("%s tells that a disk took a part of its result", async (command) => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  await accept(mock);
  const slides = [{ caption: "x".repeat(40_000) }];
  for (const _ of [1, 2]) mock.nextJob({ outcome: "succeeded", slides });
  const out = join(folder, "out");
  const args = command === "batch" ? [sets, "--json"] : leastFlags;
  const limited = `trap "" XFSZ; ulimit -f 16; exec "$0" "$@" > ${out}`;
  const { code, stderr } = await runIn(limited, [command, ...args], environment);
  expect({ code, length: readFileSync(out).length }).toEqual({ code: 3, length: 16 * 512 });
  expect(stderr).toMatch(/ to standard output: file too large\.( |$)/m);
});

test.each<[args: string[], code: number]>([
  [["--help"], 0],
  [["job", "job_1"], 0],
  [["wait", "job_1"], 0],
  [["verify"], 0],
  [["batch", "FILE", "--dry-run"], 0],
  [["create", "--mock", ...leastFlags], 0],
  [["create", ...leastFlags], 3],
  [["batch", "FILE"], 3],
])(
  "%j, whose reader has gone, exits %i: that is a failure only of what was paid for",
  async (typed, code) => {
    const { mock, environment } = await serve({ lifecycle: "instant" });
    await accept(mock);
    const script = `("$0" "$@"; echo $? > ${folder}/code) | true; while ! [ -s ${folder}/code ]; do sleep 0.1; done`;
    const args = typed.map((word) => word.replace("FILE", sets));
    const { stderr } = await runIn(script, args, environment);
    expect(Number(readFileSync(join(folder, "code"), "utf8")), stderr).toBe(code);
    if (code === 3) expect(stderr).toMatch(/ to standard output: its reader has gone\.( |$)/m);
  },
);
