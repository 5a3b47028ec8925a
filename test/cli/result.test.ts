import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, inject, test } from "vitest";
import { accept, leastFlags, run, serve } from "./run.js";

test("shows every field of a slide, whatever it is", async () => {
  const { mock, environment } = await serve();
  const slides = [
    { title: "One", lines: "first\nsecond", big: 1e21, none: null, yes: true, empty: "" },
    {},
    { colours: ["red", "blue"], layout: { top: 1, inner: { deep: { deeper: { deepest: [1] } } } } },
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
           deep: {"deeper":{"deepest":[1]}}
    4. parts:
         1. text: a
            size: 1
         2. b
         3. []

    10 credits were charged, 90 are left.
    "
  `);
});

test("aligns the fields of slides past the ninth", async () => {
  const { stdout } = await run(["create", "--mock", ...leastFlags, "--count", "10"]);
  expect(stdout).toContain("\n10. index: 9\n    caption: Slide 10 of 10\n");
});

test("job shows a job as it is and exits 0 whatever its status", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  for (let jobs = 0; jobs < 4; jobs++) await accept(mock);
  mock.jobs.advance("job_2");
  mock.jobs.succeed("job_3");
  mock.jobs.fail("job_4", { message: "No", where: { line: 1 } });
  const looks = ["job_1", "job_2", "job_3", "job_4"].map((id) => run(["job", id], environment));
  const outcomes = await Promise.all(looks);
  expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    Array(4).fill({ code: 0, stderr: "" }),
  );
  const [queued, running, succeeded, failed] = outcomes.map(({ stdout }) => stdout);
  expect(queued).toBe("Job job_1: queued\n");
  expect(running).toBe("Job job_2: running\n");
  expect(succeeded).toMatch(/^Job job_3: 5 slides for iphone-69\n\n1\. index: 0\n {3}caption: /);
  expect(failed).toBe("Job job_4: failed\n\nmessage: No\nwhere:\n  line: 1\n");
});

test("--json prints a job as the service does, unknown fields included", async () => {
  const { mock, environment } = await serve();
  const job = { id: "job_1", status: "paused", result: null, error: null, since: { day: 1 } };
  mock.fault({ status: 200, body: job }, { operation: "getJob" });
  const { code, stdout } = await run(["job", "job_1", "--json"], environment);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(job);
});

test("a resumed wait prints the result, as text or as JSON", async () => {
  const { mock, environment } = await serve();
  await accept(mock);
  const text = await run(["wait", "job_1"], environment);
  expect(text).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Job job_1: 5 slides for iphone-69\n/),
  });
  expect(text.stderr).toMatch(
    /^Job job_1 is queued \(\d+ s, 1 poll\)\nJob job_1 is running \(\d+ s, 2 polls\)\n/,
  );
  const json = await run(["wait", "--json", "job_1"], environment);
  expect(JSON.parse(json.stdout)).toMatchObject({
    id: "job_1",
    status: "succeeded",
    result: { device: "iphone-69" },
  });
});

test("a reader that leaves does not end the command", async () => {
  const child = spawn(process.execPath, [inject("command"), "create", "--mock", ...leastFlags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  child.stderr.destroy();
  expect(await once(child, "close")).toEqual([0, null]);
});

test("escapes terminal commands in JSON in a form that JSON reads back", async () => {
  const { mock, environment } = await serve();
  const slides = [{ caption: "\u001b[31m\u009b\u007f\u202e\u2028é😀" }];
  mock.nextJob({ outcome: "succeeded", slides });
  const { stdout } = await run(["create", ...leastFlags, "--json"], environment);
  expect(stdout).toMatch(/"\\u001b\[31m\\u009b\\u007f\\u202e\\u2028é😀"/);
  expect(JSON.parse(stdout).result.slides).toEqual(slides);
});
