import type { Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { accept, lastLine, leastFlags, run, serve, start } from "./run.js";

const resume = "screenshot-sets wait job_1";

const details = 'For details, run "screenshot-sets job job_1".';

test.each<{ id?: string; error: object | null; line: string }>([
  {
    error: { message: "The listing is\n empty" },
    line: `Job job_1 failed: The listing is empty. ${details}`,
  },
  { error: { code: 7, hints: ["a"] }, line: `Job job_1 failed: {"code":7,"hints":["a"]}. ${details}` },
  { error: null, line: "Job job_1 failed." },
  // A command that can be pasted.
  {
    ...{ id: "job's 1", error: { message: "No" } },
    line: `Job job's 1 failed: No. For details, run "screenshot-sets job 'job'\\''s 1'".`,
  },
])("a failed job exits 1 and says why: $line", async ({ id = "job_1", error, line }) => {
  const { mock, environment } = await serve();
  const failed = { id, status: "failed", result: null, error };
  mock.fault({ status: 200, body: failed }, { operation: "getJob" });
  const { code, stdout, stderr } = await run(["wait", id], environment);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(lastLine(stderr)).toBe(line);
});

test("a set whose job failed says what was charged", async () => {
  const { mock, environment } = await serve();
  mock.nextJob({ outcome: "failed" });
  const { code, stderr } = await run(["create", ...leastFlags], environment);
  expect(code).toBe(1);
  expect(lastLine(stderr)).toMatch(/^Job job_1 failed.* 10 credits were charged, 90 are left\.$/);
});

test("a time-out exits 3, says what was charged, how the job was when last seen, and how to resume", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  mock.fault({ status: 503 }, { operation: "getJob", skip: 1, times: Number.POSITIVE_INFINITY });
  const { code, stdout, stderr } = await run(["create", ...leastFlags, "--timeout", "0.8"], environment);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toMatch(
    /^Job job_1 did not end within [\d.]+ s, and was queued when last seen\. The last poll failed: getJob failed with 503.* 10 credits were charged, 90 are left\.$/m,
  );
  expect(lastLine(stderr)).toBe(resume);
});

test("a time-out of a resumed wait exits 3 too, and claims nothing of a job that was not seen", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 503, body: "Down for repairs" }, { times: Number.POSITIVE_INFINITY });
  const flags = ["--timeout=.3", "--json", "--out", "slides.json"];
  const { code, stdout, stderr } = await run(["wait", "job_1", ...flags], environment);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ error: { name: "JobTimeoutError", jobId: "job_1" } });
  expect(stderr).toMatch(
    /^Job job_1 did not end within [\d.]+ s\. The last poll failed: getJob failed with 503: Down for repairs\.\n/,
  );
  expect(lastLine(stderr)).toBe(`${resume} --json --out slides.json`);
});

test.each([408, 429, 503])(
  "a wait that ends with a %i whose Retry-After lies past the deadline exits 3 and says how to resume",
  async (status) => {
    const { mock, environment } = await serve();
    await accept(mock);
    mock.fault({ status, retryAfter: 30 }, { operation: "getJob" });
    const { code, stderr } = await run(["wait", "job_1", "--timeout", "20"], environment);
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^getJob failed with ${status}`));
    expect(lastLine(stderr)).toBe(resume);
    expect(mock.requests({ operation: "getJob" })).toHaveLength(1);
  },
);

test.each<[string, Fault]>([
  ["wait", { status: 403 }],
  ["wait", "malformed"],
  ["job", { status: 503, retryAfter: 61 }],
])("%s exits 1 after %o, and does not say how to wait", async (command, fault) => {
  const { mock, environment } = await serve();
  mock.fault(fault, { operation: "getJob" });
  const { code, stdout, stderr } = await run([command, "job_1"], environment);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).not.toContain(resume);
});

test("a time-out on the embedded mock says that nothing is left to resume", async () => {
  const { code, stderr } = await run(["create", "--mock", ...leastFlags, "--timeout", "0"]);
  expect(code).toBe(3);
  expect(stderr).toContain("The embedded mock ends with this command.");
  expect(lastLine(stderr)).toBe(resume);
});

test("a refusal after the acceptance exits 3 and says how to resume", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  const create = start(["create", ...leastFlags], environment);
  await create.says(/is queued/);
  mock.keys.revoke(mock.clientOptions.apiKey);
  const { code, stderr } = await create.outcome;
  expect(code).toBe(3);
  expect(stderr).toMatch(/^getJob failed with 401.*SCREENSHOT_SETS_API_KEY.*10 credits were charged/m);
  expect(lastLine(stderr)).toBe(resume);
});

test.each<Fault>(["reset", "malformed", { status: 502 }])(
  "a set that may have been accepted exits 3 and says so: %o",
  async (fault) => {
    const { mock, environment } = await serve();
    mock.fault(fault, { operation: "createScreenshots", when: "after", times: 9 });
    const { code, stdout, stderr } = await run(["create", ...leastFlags], environment);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^createScreenshots .*credits.*--app-id app_1 uses it again\.$/m);
    expect(stderr).not.toMatch(/try again/i);
    expect(mock.credits.used).toBe(10);
  },
);

test("an app that may have been accepted exits 3", async () => {
  const { mock, environment } = await serve();
  mock.fault("reset", { operation: "createApp", times: 9 });
  const { code, stderr } = await run(["create", ...leastFlags], environment);
  expect(code).toBe(3);
  expect(lastLine(stderr)).toMatch(/^createApp failed: .*may have accepted/);
});

test("an acceptance that is not valid but names its job says how to wait for that job", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 201, body: { jobId: "job 9" } }, { operation: "createScreenshots" });
  mock.fault({ status: 403 }, { operation: "getJob" });
  const { code, stderr } = await run(["create", ...leastFlags], environment);
  expect(code).toBe(3);
  expect(lastLine(stderr)).toBe("screenshot-sets wait 'job 9'");
});

test.each([
  { status: 401, advice: /Check SCREENSHOT_SETS_API_KEY/ },
  { status: 402, advice: /Check the account's credits\./ },
  { status: 403, advice: /Check the account's permissions\./ },
  { status: 404, advice: /Check the id/ },
  { status: 422, advice: /Check the options\./ },
])("a refusal with $status exits 1 in one line, with its request id", async ({ status, advice }) => {
  const { mock, environment } = await serve();
  const refused = { status, body: { message: "Not\nlike this" }, headers: { "x-request-id": "req-7" } };
  mock.fault(refused, { operation: "createScreenshots", times: 9 });
  const { code, stdout, stderr } = await run(
    ["create", "--app-id", "app_1", "--device=ipad-pro"],
    environment,
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.split("\n")).toHaveLength(2);
  expect(stderr).toMatch(/^createScreenshots failed with \d+: Not like this\. /);
  expect(stderr).toMatch(advice);
  expect(stderr).toMatch(/ \(Request id: req-7\)\n$/);
});

test("a refused set says how to use its app again", async () => {
  const { environment } = await serve({ allowance: 5 });
  const { code, stderr } = await run(["create", ...leastFlags], environment);
  expect(code).toBe(1);
  expect(lastLine(stderr)).toMatch(/ App app_1 was created: --app-id app_1 uses it again\.$/);
});

test("--verbose adds the attempts and the stack, and never the key", async () => {
  const apiKey = "ss_live_very_secret";
  const { mock, environment } = await serve({ apiKey });
  const told = { status: 400, body: `no ${apiKey}`, headers: { "x-echo": apiKey } };
  mock.fault({ status: 429, retryAfter: 0 }, { operation: "createApp" });
  mock.fault(told, { operation: "createApp" });
  const { code, stdout, stderr } = await run(["create", ...leastFlags, "--verbose"], environment);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.match(/^Sent a request .*operation=createApp .*status=4\d\d attempt=\d/gm)).toHaveLength(2);
  expect(stderr).toMatch(/^Thrown after 2 attempts: .*\n +at /m);
  expect(stderr).not.toContain(apiKey);
});

test.each<{ answer: { status: number; body: string }; says: RegExp }>([
  {
    answer: { status: 404, body: "<h1>Not found</h1>" },
    says: /^getJob failed with 404.* Check SCREENSHOT_SETS_BASE_URL\.$/,
  },
  {
    answer: { status: 200, body: "<h1>Welcome</h1>" },
    says: /^getJob was answered 200 .*(base URL|BASE_URL)/i,
  },
])("another server's page is told with one hint at the address: $answer", async ({ answer, says }) => {
  const { mock, environment } = await serve();
  mock.fault(answer);
  const { code, stderr } = await run(["job", "job_1"], environment);
  expect(code).toBe(1);
  expect(lastLine(stderr)).toMatch(says);
  expect(stderr.match(/base.url/gi)).toHaveLength(1);
});
