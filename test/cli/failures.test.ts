import { join } from "node:path";
import type { Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { accept, lastLine, leastFlags, run, serve, start } from "./run.js";

const resume = "screenshot-sets wait job_1";
const details = 'For details, run "screenshot-sets job job_1".';

const failed = (error: object | null): Fault => ({
  status: 200,
  body: { id: "job_1", status: "failed", result: null, error },
});

test.each<[typed: string, fault: Fault, code: number, line: RegExp | string]>([
  [
    "wait",
    failed({ message: "The listing is\n bad" }),
    1,
    `Job job_1 failed: The listing is bad. ${details}`,
  ],
  ["wait", failed({ code: 7, hints: ["a"] }), 1, `Job job_1 failed. Its \`error\` says why. ${details}`],
  ["wait", failed(null), 1, "Job job_1 failed. The service gave no reason."],
  ["wait", failed({}), 1, "Job job_1 failed. The service gave no reason."],
  ["wait", { status: 403 }, 1, /^getJob failed with 403/],
  ["wait", "malformed", 1, /^getJob was answered 200/],
  // After a `Retry-After` beyond the deadline, another wait may still get the result.
  ["wait --timeout 20", { status: 408, retryAfter: 30 }, 3, resume],
  ["wait --timeout 20", { status: 429, retryAfter: 30 }, 3, resume],
  ["wait --timeout 20", { status: 503, retryAfter: 30 }, 3, resume],
  // The service's words stay, those that the library has too.
  [
    "job",
    { status: 409, body: { message: "The app is in another state" } },
    1,
    /: The app is in another state\. /,
  ],
  ["job", { status: 503, retryAfter: 61 }, 1, /Try again later\.$/],
  // Another server's page is told with one hint at the address.
  ["job", { status: 404, body: "<h1>None</h1>" }, 1, /^getJob .* 404.* Check SCREENSHOT_SETS_BASE_URL\.$/],
  ["job", { status: 200, body: "<h1>Hi</h1>" }, 1, /^getJob .* 200 (?!.*base.?url.*base.?url).*base.?url/i],
])("%s job_1 after %j exits %i, with the last line %s", async (typed, fault, code, line) => {
  const { mock, environment } = await serve();
  await accept(mock);
  mock.fault(fault, { operation: "getJob" });
  const { stderr, ...ended } = await run([...typed.split(" "), "job_1"], environment);
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(lastLine(stderr)).toEqual(typeof line === "string" ? line : expect.stringMatching(line));
  expect(mock.requests({ operation: "getJob" })).toHaveLength(1);
});

const mayBeCharged = /^createScreenshots .*may have .*credits.*--app-id app_1 uses it again\.$/;

test.each<[fault: Fault, code: number, line: RegExp]>([
  ["reset", 3, mayBeCharged],
  ["malformed", 3, mayBeCharged],
  [{ status: 502 }, 3, mayBeCharged],
  [{ status: 401 }, 1, /Check SCREENSHOT_SETS_API_KEY/],
  [
    { status: 402 },
    1,
    /Check the account's credits\. App app_1 was created: --app-id app_1 uses it again\.$/,
  ],
  [{ status: 403 }, 1, /Check the account's permissions\./],
  [{ status: 404, body: {} }, 1, /Check the id/],
  [
    { status: 422, body: { message: "Not\nlike this" }, headers: { "x-request-id": "req-7" } },
    1,
    /^createScreenshots failed with 422: Not like this\. \(Request id: req-7\) Check the options\. /,
  ],
])("a set after %j exits %i, in one line: %s", async (fault, code, line) => {
  const { mock, environment } = await serve();
  mock.fault(fault, { operation: "createScreenshots", when: "after", times: 9 });
  const { stderr, ...ended } = await run(["create", ...leastFlags], environment);
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(stderr.split("\n")).toEqual(["App app_1 was created: Mock app_1", expect.stringMatching(line), ""]);
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(1);
});

test("an app that may have been created exits 3", async () => {
  const { mock, environment } = await serve();
  mock.fault("reset", { operation: "createApp", times: 9 });
  const { code, stderr } = await run(["create", ...leastFlags], environment);
  expect(code).toBe(3);
  expect(lastLine(stderr)).toMatch(/^createApp failed: .*may have accepted/);
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
  const { code, stdout, stderr } = await run(["create", ...leastFlags, "--timeout", "2"], environment);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toMatch(
    /^Job job_1 did not end within [\d.]+ s: it was queued when last seen\. The last poll failed: getJob failed with 503.* 10 credits were charged, 90 are left\.$/m,
  );
  expect(lastLine(stderr)).toBe(resume);
});

test("a time-out of a resumed wait exits 3 too, and claims nothing of a job that was not seen", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 503, body: "Down for repairs" }, { times: Number.POSITIVE_INFINITY });
  const flags = ["--timeout=2.9", "--json", "--out", "slides.json"];
  const { code, stdout, stderr } = await run(["wait", "job_1", ...flags], environment);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ error: { name: "JobTimeoutError", jobId: "job_1" } });
  expect(stderr).toMatch(
    /^Job job_1 did not end within [\d.]+ s: no poll found it\. The last poll failed: getJob failed with 503: Down for repairs\.\n/,
  );
  expect(lastLine(stderr)).toBe(`${resume} --json --out slides.json`);
});

test("a time-out on the embedded mock says that nothing is left to resume", async () => {
  const { code, stderr } = await run(["create", "--mock", ...leastFlags, "--timeout", "0"]);
  expect(code).toBe(3);
  expect(stderr).toContain("The embedded mock ends with this command.");
  expect(lastLine(stderr)).toBe(resume);
  const kept = [...leastFlags, "--timeout", "0", "--state", join(temporaryFolder(), "state.json")];
  const several = await run(["create", "--mock", ...kept]);
  expect(several.stderr).toContain("With the service, you would now run:");
  expect(lastLine(several.stderr)).toBe(`screenshot-sets create ${kept.join(" ")}`);
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

test("an acceptance that is not valid but names its job says how to wait for that job", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 201, body: { jobId: "job 9" } }, { operation: "createScreenshots" });
  mock.fault({ status: 403 }, { operation: "getJob" });
  const { code, stderr } = await run(["create", ...leastFlags], environment);
  expect(code).toBe(3);
  expect(lastLine(stderr)).toBe("screenshot-sets wait 'job 9'");
});

test("what a person should look into is told without --verbose, and standard output stays as it is", async () => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  const sunset = "Sat, 01 May 2027 00:00:00 GMT";
  const body = { appId: "app_1", name: 7 };
  mock.fault({ status: 201, body, headers: { sunset } }, { operation: "createApp" });
  const { stdout, stderr } = await run(["create", ...leastFlags, "--json"], environment);
  expect(JSON.parse(stdout)).toMatchObject({ error: { name: "NotFoundError" } });
  expect(stderr).toContain(
    `The service says that an operation is deprecated or will end operation=createApp sunset=${sunset}\n`,
  );
  expect(stderr).toMatch(/^An answer differs from the document, .* operation=createApp field=/m);
  expect(stderr).not.toContain("Sent a request");
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
  expect(stderr).toMatch(/^BadRequestError: .*\n +at [\s\S]* attempts: 2,/m);
  expect(stderr).not.toContain(apiKey);
});

test("a proxy that Node does not heed is told by the variable, not by an option of the client", async () => {
  const environment = {
    SCREENSHOT_SETS_API_KEY: "ss_test",
    // A name that no resolver is asked for.
    SCREENSHOT_SETS_BASE_URL: `https://${"a".repeat(64)}.invalid/api/v1`,
    HTTPS_PROXY: "http://proxy.internal:3128",
  };
  const create = ["create", "--app-id", "app_1", "--device", "iphone-69"];
  for (const args of [
    ["job", "job_1"],
    ["wait", "job_1", "--timeout", "1.5"],
    [...create, "--max-credits", "99"],
  ]) {
    const { code, stdout, stderr } = await run(args, environment);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).toMatch(/HTTPS_PROXY is set, .* NODE_USE_ENV_PROXY=1/);
    expect(stdout + stderr).not.toContain("undiciFetch");
  }
});

test("plain http to another machine is refused by the flag that allows it", async () => {
  const environment = {
    SCREENSHOT_SETS_API_KEY: "ss_test",
    SCREENSHOT_SETS_BASE_URL: "http://mock.internal/api/v1",
  };
  const { code, stderr } = await run(["job", "job_1"], environment);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Refused SCREENSHOT_SETS_BASE_URL.* add --dangerously-allow-http\.\n/);
  expect(stderr).not.toContain("dangerouslyAllowHttp");
});
