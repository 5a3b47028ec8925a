import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { lastLine, leastFlags, run, serve, start } from "./run.js";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-out-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function listenOn(path: string): Promise<void> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
}

test("--out with a dash is standard output", async () => {
  const ended = await run(["create", "--mock", ...leastFlags, "--out", "-"]);
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Mock app_1: 5 slides for iphone-69\n/),
  });
  expect(existsSync("-")).toBe(false);
});

test("--out gets the result instead of standard output, as text or as JSON, under names of any length", async () => {
  const folder = newFolder();
  const [text, json] = ["a".repeat(255), "b.json"];
  const plain = await run(["create", "--mock", ...leastFlags, "--out", join(folder, text)]);
  const asJson = await run(["create", "--mock", ...leastFlags, "--json", "--out", join(folder, json)]);
  expect([plain, asJson]).toMatchObject(Array(2).fill({ code: 0, stdout: "" }));
  expect(readFileSync(join(folder, text), "utf8")).toMatch(/^Mock app_1: 5 slides for iphone-69\n/);
  expect(JSON.parse(readFileSync(join(folder, json), "utf8"))).toHaveProperty("result.slides");
  expect(readdirSync(folder).sort()).toEqual([text, json]);
});

test("--out replaces a file, keeps its mode, and follows a link", async () => {
  const folder = newFolder();
  const file = join(folder, "file");
  writeFileSync(file, "before");
  chmodSync(file, 0o640);
  symlinkSync(file, join(folder, "link"));
  const { code } = await run(["create", "--mock", ...leastFlags, "--json", "--out", join(folder, "link")]);
  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty("result.slides");
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(["file", "link"]);
});

test("--out writes into a pipe instead of replacing it", async () => {
  // A pipe of our own, because a failure of this test replaces it.
  const pipe = join(newFolder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void reader.kill("SIGKILL"));
  const read = text(reader.stdout);
  const { code } = await run(["create", "--mock", ...leastFlags, "--out", pipe]);
  expect(code).toBe(0);
  expect(statSync(pipe).isFIFO()).toBe(true);
  expect(await read).toMatch(/^Mock app_1: 5 slides for iphone-69\n/);
});

test("an interrupt ends a write into a pipe that nobody reads", async () => {
  const pipe = join(newFolder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  const { environment } = await serve({ lifecycle: "instant" });
  const create = start(["create", ...leastFlags, "--out", pipe], environment);
  await create.says(/succeeded/);
  create.child.kill("SIGINT");
  const { code, stderr } = await create.outcome;
  expect(code).toBe(130);
  expect(stderr).toMatch(/^Interrupted before the result of job job_1 was written\./m);
  expect(lastLine(stderr)).toBe(`screenshot-sets wait job_1 --out ${pipe}`);
});

test("--out takes standard output by its name, even if it is a socket", async () => {
  // Standard output may be a socket, which cannot be opened.
  const { code, stdout } = await run(["create", "--mock", ...leastFlags, "--out", "/dev/stdout"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Mock app_1: 5 slides for iphone-69\n/);
});

test("--out creates the file that a link points to", async () => {
  const folder = newFolder();
  mkdirSync(join(folder, "inner"));
  symlinkSync("inner/next", join(folder, "link"));
  symlinkSync("../file", join(folder, "inner", "next"));
  const { code } = await run(["create", "--mock", ...leastFlags, "--out", join(folder, "link")]);
  expect(code).toBe(0);
  expect(readFileSync(join(folder, "file"), "utf8")).toMatch(/^Mock app_1: /);
  expect(readdirSync(folder).sort()).toEqual(["file", "inner", "link"]);
});

test("leaves the file unchanged while it waits, and without a result", async () => {
  const folder = newFolder();
  const file = join(folder, "file");
  writeFileSync(file, "before");
  const { mock, environment } = await serve({ lifecycle: "manual" });
  const create = start(["create", ...leastFlags, "--out", file], environment);
  await create.says(/is queued/);
  expect(readFileSync(file, "utf8")).toBe("before");
  mock.jobs.fail("job_1");
  expect((await create.outcome).code).toBe(1);
  expect(readFileSync(file, "utf8")).toBe("before");
  expect(readdirSync(folder)).toEqual(["file"]);
});

test("a file that cannot be written is refused before anything is sent", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "file"), "");
  await listenOn(join(folder, "socket"));
  const { mock, environment } = await serve();
  const wrong = {
    "no/such/folder": "its folder does not exist",
    ".": "it is a folder",
    "absent/": "it is a folder",
    "file/below": "not a directory",
    socket: "it is a socket",
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

test("a result that can no longer be written exits 3 and says how to get it again", async () => {
  const folder = join(newFolder(), "inner");
  mkdirSync(folder);
  const out = join(folder, "file");
  const { mock, environment } = await serve({ lifecycle: "manual" });
  const create = start(["create", ...leastFlags, "--out", out], environment);
  await create.says(/is queued/);
  rmSync(folder, { recursive: true });
  mock.jobs.succeed("job_1");
  const { code, stdout, stderr } = await create.outcome;
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toMatch(
    /^The result is ready, but cannot be written to --out .*: its folder does not exist\. 10 credits/m,
  );
  expect(lastLine(stderr)).toBe(`screenshot-sets wait job_1 --out ${out}`);
  expect(existsSync(folder)).toBe(false);
});
