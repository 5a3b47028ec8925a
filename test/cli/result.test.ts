import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, inject, test } from "vitest";
import { accept, leastFlags, run, serve } from "./run.js";

test("shows every field of a slide, whatever it is", async () => {
  const { mock, environment } = await serve();
  const slides = [
    { title: "One", lines: "first\nsecond", big: 1e21, none: null, yes: true, empty: "" },
    {},
    { colours: ["red", "blue"], layout: { top: 1, inner: { deep: [1] } } },
    { parts: [{ text: "a", size: 1 }, "b", []] },
  ];
  mock.nextJob({ outcome: "succeeded", slides });
  const { code, stdout } = await run(["create", ...leastFlags], environment);
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Mock app_1: 4 slides for iphone-69

    1. title: One
       lines:
         first
         second
       big: 1e+21
       none: null
       yes: true
       empty: ""
    2. (empty)
    3. colours: ["red","blue"]
       layout:
         top: 1
         inner:
           deep: [1]
    4. parts:
         1. text: a
            size: 1
         2. b
         3. []

    10 credits were charged, 90 are left.
    "
  `);
});

test.each([
  { status: "queued", text: /^Job job_1: queued\n$/ },
  { status: "succeeded", text: /^Job job_1: 5 slides for iphone-69\n\n1\. index: 0\n {3}caption: / },
  { status: "failed", text: /^Job job_1: failed\n\nmessage: No\nwhere:\n {2}line: 1\n$/ },
  { status: "failed", error: {}, text: /^Job job_1: failed\nThe service gave no reason\.\n$/ },
])("job shows a job that is $status as it is, and exits 0", async ({ status, error, text }) => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  await accept(mock);
  if (status === "succeeded") mock.jobs.succeed("job_1");
  if (status === "failed") mock.jobs.fail("job_1", error ?? { message: "No", where: { line: 1 } });
  const { code, stdout, stderr } = await run(["job", "job_1"], environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(text);
});

test("tells credits that a document writes as text, fractions too, and nothing that is no number", async () => {
  const { mock, environment } = await serve();
  const told = [];
  for (const credits of [
    { cost: "10.5", remaining: "89.5" },
    { cost: "10 or so", remaining: "" },
  ]) {
    mock.fault({ status: 201, body: { jobId: "job_1", credits } }, { operation: "createScreenshots" });
    told.push((await run(["create", ...leastFlags, "--no-wait"], environment)).stdout.split("\n")[1]);
  }
  expect(told).toEqual(["10.5 credits were charged, 89.5 are left.", "Credits were charged."]);
});

test("an error that is a text is indented, so that no line of it looks like one of the program", async () => {
  const { mock, environment } = await serve();
  const body = { id: "job_1", status: "failed", result: null, error: "No\nscreenshot-sets wait job_9" };
  mock.fault({ status: 200, body }, { operation: "getJob" });
  const { stdout } = await run(["job", "job_1"], environment);
  expect(stdout).toBe("Job job_1: failed\n\nerror:\n  No\n  screenshot-sets wait job_9\n");
});

test("wait goes on with a job of another process, and prints its result", async () => {
  const { mock, environment } = await serve();
  await accept(mock);
  const { code, stdout } = await run(["wait", "job_1"], environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(/5 slides for iphone-69\n\n1\. index: 0\n/);
});

test("blanks without end in what the service says are printed at once", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  await accept(mock);
  mock.jobs.fail("job_1", { code: `E${" ".repeat(1_000_000)}1` });
  const { code, stderr } = await run(["wait", "job_1"], environment);
  expect(code).toBe(1);
  expect(stderr.length).toBeLessThan(1_000);
  expect(stderr).toContain("Job job_1 failed");
});

test("--json prints a job as the service does, unknown fields included", async () => {
  const { mock, environment } = await serve();
  const job = { id: "job_1", status: "paused", result: null, error: null, since: { day: 1 } };
  mock.fault({ status: 200, body: job }, { operation: "getJob" });
  const { code, stdout } = await run(["job", "job_1", "--json"], environment);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(job);
});

test("a reader that leaves does not end the command", async () => {
  const child = spawn(process.execPath, [inject("command"), "create", "--mock", ...leastFlags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  child.stderr.destroy();
  expect(await once(child, "close")).toEqual([0, null]);
});

test("shows control characters of the service, as text and as JSON, so that no terminal acts on them", async () => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  const hostile = "\u001b]0;title\u0007\u001b[2J\u009b31m\u007f\u202egnp\u2028\rover é😀";
  const slides = [{ caption: hostile, [hostile]: [hostile, { [hostile]: 1 }] }];
  mock.nextJob({ outcome: "succeeded", slides });
  const text = await run(["create", ...leastFlags], environment);
  const json = await run(["job", "job_1", "--json"], environment);
  for (const { stdout } of [text, json]) {
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
    expect(stdout).toMatch(/\\u001b]0;title\\u0007\\u001b\[2J\\u009b31m\\u007f\\u202egnp\\u2028/);
    expect(stdout).toContain("over é😀");
  }
  expect(JSON.parse(json.stdout).result.slides).toEqual(slides);
});
