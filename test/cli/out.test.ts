import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { lastLine, leastFlags, run, serve, start } from "./run.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Creates a set on the embedded mock, and writes it to a file of the folder. */
const createInto = (name: string, ...flags: string[]) =>
  run(["create", "--mock", ...leastFlags, "--out", join(folder, name), ...flags]);

const result = /^Mock app_1: 5 slides for iphone-69\n/;

test("--out gets the result instead of standard output, as text or as JSON; a dash is standard output", async () => {
  const ended = [await createInto("a"), await createInto("b", "--json")];
  expect(ended).toMatchObject(Array(2).fill({ code: 0, stdout: "" }));
  expect(readFileSync(join(folder, "a"), "utf8")).toMatch(result);
  expect(JSON.parse(readFileSync(join(folder, "b"), "utf8"))).toHaveProperty("result.slides");
  const dash = await run(["create", "--mock", ...leastFlags, "--out", "-"]);
  expect(dash).toMatchObject({ code: 0, stdout: expect.stringMatching(result) });
  expect(existsSync("-")).toBe(false);
});

test("--out replaces what is in a file, keeps its mode, and follows links, also to a file that is not there", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "before".repeat(1_000));
  chmodSync(file, 0o640);
  mkdirSync(join(folder, "inner"));
  symlinkSync("file", join(folder, "link"));
  symlinkSync("inner/next", join(folder, "dangling"));
  symlinkSync("../new", join(folder, "inner", "next"));
  for (const name of ["link", "dangling"])
    expect(await createInto(name, "--json")).toMatchObject({ code: 0 });
  for (const name of ["file", "new"])
    expect(JSON.parse(readFileSync(join(folder, name), "utf8"))).toHaveProperty("result.slides");
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(["dangling", "file", "inner", "link", "new"]);
});

test("--out writes into a pipe instead of replacing it", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void reader.kill("SIGKILL"));
  const read = text(reader.stdout);
  expect(await createInto("pipe")).toMatchObject({ code: 0 });
  expect(statSync(pipe).isFIFO()).toBe(true);
  expect(await read).toMatch(result);
});

test("an interrupt ends a write into a pipe that nobody reads", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const { environment } = await serve({ lifecycle: "instant" });
  const create = start(["create", ...leastFlags, "--out", pipe], environment);
  await create.says(/has succeeded/);
  create.child.kill("SIGINT");
  const { code, stderr } = await create.outcome;
  expect(code).toBe(130);
  expect(stderr).toMatch(/^Interrupted before the result of job job_1 was written\./m);
  expect(lastLine(stderr)).toBe(`screenshot-sets wait job_1 --out ${pipe}`);
});

test("leaves the file unchanged while it waits, and without a result; a new one is not there then", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  writeFileSync(join(folder, "file"), "before");
  const contents = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  for (const [index, name] of ["file", "new"].entries()) {
    const create = start(["create", ...leastFlags, "--out", join(folder, name)], environment);
    await create.says(/is queued/);
    expect(contents()).toEqual(["before"]);
    mock.jobs.fail(`job_${index + 1}`);
    expect((await create.outcome).code).toBe(1);
    expect(contents()).toEqual(["before"]);
  }
});

test("a file that cannot be written is refused before anything is sent", async () => {
  writeFileSync(join(folder, "file"), "");
  const { mock, environment } = await serve();
  const wrong = {
    "no/such/folder": "its folder does not exist",
    ".": "it is a folder",
    "absent/": "it is a folder",
    "file/below": "not a directory",
    [`${"x".repeat(300)}`]: "name too long",
  };
  for (const [name, why] of Object.entries(wrong)) {
    const out = `${folder}/${name}`;
    const { code, stdout, stderr } = await run(["create", ...leastFlags, "--out", out], environment);
    expect({ name, code, stdout }).toEqual({ name, code: 2, stdout: "" });
    expect(stderr).toContain(`Cannot write to --out ${out}: ${why}.\n\nUsage: screenshot-sets create `);
  }
  expect(mock.requests()).toEqual([]);
});

test.runIf(existsSync("/dev/full"))(
  "a dry run that cannot be written says so, with --json in JSON",
  async () => {
    const file = join(folder, "sets.json");
    writeFileSync(file, '{ "sets": { "a": { "appId": "app_1", "device": "iphone-69" } } }');
    const { code, stdout, stderr } = await run(["batch", file, "--dry-run", "--json", "--out", "/dev/full"]);
    const message = "The result is ready, but cannot be written to --out /dev/full: no space left on device.";
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${message}\n` });
    expect(JSON.parse(stdout)).toEqual({ error: { name: "DeliveryError", message } });
  },
);

test("a file that cannot be written any more exits 3, and the last line gets the result elsewhere", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  const out = join(folder, "file");
  const create = start(["create", ...leastFlags, "--json", "--out", out], environment);
  await create.says(/is queued/);
  rmSync(folder, { recursive: true });
  mock.jobs.succeed("job_1");
  const { code, stdout, stderr } = await create.outcome;
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ error: { name: "DeliveryError", jobId: "job_1" } });
  expect(stderr).toMatch(
    /^The result is ready, but cannot be written to --out .*: its folder does not exist\. 10 credits/m,
  );
  expect(lastLine(stderr)).toBe(`screenshot-sets wait job_1 --json --out ${out}`);
});
