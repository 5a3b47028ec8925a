import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setCost } from "screenshot-sets";
import type { Fault, MockOptions, Recorded } from "screenshot-sets/mock";
import { expect, onTestFinished, test } from "vitest";
import { defaultCount } from "../../src/generated/values.js";
import { closedPort, listening, rawServer, reply } from "../helpers/raw-server.js";
import { lastLine, run, serve, start } from "./run.js";

const spend = ["--spend", String(setCost)];
const spendOnNew = [...spend, "--ios-url", "https://apps.apple.com/us/app/example/id1234567890"];
const environmentOf = (baseUrl: string) => ({
  SCREENSHOT_SETS_BASE_URL: baseUrl,
  SCREENSHOT_SETS_API_KEY: "ss_live_very_secret",
});

interface Row {
  what: string;
  document: string;
  mock: string;
  service: string;
  verdict: string;
}

/** Runs `verify --json`, and gives its rows by what they are about. */
async function verify(flags: string[], environment: Record<string, string>) {
  const { stdout, ...ended } = await run(["verify", "--json", ...flags], environment);
  const list: Row[] = JSON.parse(stdout);
  return { ...ended, list, rows: Object.fromEntries(list.map((row) => [row.what, row])) };
}

/** A path in a folder of its own, which is removed after the test. */
function outFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-verify-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "recorded.json");
}

const readRecorded = (file: string): Recorded => JSON.parse(readFileSync(file, "utf8"));

test("finds that the mock is as documented, and sends nothing that could be accepted", async () => {
  const { mock, environment } = await serve();
  const { code, list } = await verify([], environment);
  expect(code).toBe(0);
  expect(new Set(list.map(({ verdict }) => verdict))).toEqual(
    new Set(["as documented", "the mock is right", "not tried"]),
  );
  const sent = mock.requests();
  expect(sent.map(({ operation, body, status }) => [operation, body, status])).toEqual(
    expect.arrayContaining([
      ["createApp", {}, 400],
      ["createScreenshots", {}, 400],
    ]),
  );
  // Of seven requests, five only read.
  expect(sent.filter(({ body }) => body === undefined)).toHaveLength(5);
  expect(sent).toHaveLength(7);
  expect(mock.credits.ledger()).toEqual([]);
});

test("--spend orders one set of a new app, and finds that the mock is as it guesses", async () => {
  const { mock, environment } = await serve();
  const { code, rows, stderr } = await verify(spendOnNew, environment);
  expect(code).toBe(0);
  // What was asked for before is no poll of the job.
  expect(stderr).toMatch(/^Job job_1 was accepted\nJob job_1 is queued \(\d+ s, 1 poll\)$/m);
  expect(Object.values(rows).filter(({ verdict }) => /differs|otherwise/.test(verdict))).toEqual([]);
  expect(rows["the price of a set"]).toMatchObject({ service: `${setCost} credits` });
  expect(rows["the states of a job"]?.service).toMatch(
    /^queued \(\d+\.\d s\), running \(\d+\.\d s\), succeeded$/,
  );
  expect(rows["the fields of a slide"]).toMatchObject({ verdict: "the mock is right" });
  expect(mock.credits.ledger().filter(({ amount }) => amount < 0)).toHaveLength(1);
  expect(mock.requests({ operation: "createApp" }).map(({ status }) => status)).toEqual([400, 200]);
  const [empty, ofUnknownApp, set] = mock
    .requests({ operation: "createScreenshots" })
    .map(({ body }) => body);
  expect([empty, ofUnknownApp]).toEqual([{}, { ...(set as object), appId: "verify-no-such-app" }]);
  expect(set).toMatchObject({ appId: "app_1", count: defaultCount });
});

test("--app-id spares the creation of an app", async () => {
  const { mock, environment } = await serve();
  await run(["create", "--ios-url", "https://apps.apple.com/app/id1", "--device", "iphone-69"], environment);
  expect((await verify([...spend, "--app-id", "app_1"], environment)).code).toBe(0);
  expect(mock.requests({ operation: "createApp" }).map(({ status }) => status)).toEqual([200, 400]);
});

test("prints a table for people, and what to do for the rest", async () => {
  const { environment } = await serve();
  const { stdout, stderr } = await run(["verify"], environment);
  expect(stdout).toMatch(/^what +the document +the mock +the service\n/);
  expect(stdout).toMatch(/^an unknown job +refused +404 .* +404 .* +the mock is right$/m);
  expect(lastLine(stdout)).toMatch(/^Nothing differs from the document\. .* --spend \d+\.$/);
  expect(stderr).toBe("");
});

const otherRefusal = { status: 422, body: { detail: [{ loc: ["body"], msg: "no" }] } };

test.each<[string, Partial<MockOptions>, code: number, Record<string, Partial<Row>>]>([
  [
    "statuses and bodies that it guessed otherwise",
    {
      recorded: {
        version: 1,
        refusals: {
          getJob: { notFound: { status: 410, text: "<p>gone</p>" } },
          createApp: { invalidRequest: otherRefusal },
        },
      },
    },
    0,
    {
      "an unknown job": { service: "410 a web page", verdict: "the mock guesses otherwise" },
      "an app {}": { service: "422 { detail: [{ loc: […], msg }] }" },
      "a set {}": { verdict: "the mock is right" },
    },
  ],
  [
    "another status than 401",
    { recorded: { version: 1, refusals: { getJob: { wrongKey: { status: 403 } } } } },
    1,
    { "a wrong key": { service: "403 empty", verdict: "differs from the document" } },
  ],
  [
    "a message for a missing key that names one header",
    {
      recorded: {
        version: 1,
        refusals: { getJob: { missingKey: { status: 401, body: "Send x-api-key" } } },
      },
    },
    1,
    { "no key": { service: "401, names one header", verdict: "differs from the document" } },
  ],
  [
    "a higher price",
    { recorded: { version: 1, set: { cost: 2 * setCost } } },
    1,
    { "the price of a set": { service: `${2 * setCost} credits`, verdict: "differs from the document" } },
  ],
  [
    "a lower price",
    { recorded: { version: 1, set: { cost: 1 } } },
    0,
    { "the price of a set": { service: "1 credit", verdict: "differs from the document" } },
  ],
  [
    "a state that the document does not list",
    { recorded: { version: 1, set: { states: ["planning", "succeeded"] } } },
    1,
    { "the states of a job": { verdict: "differs from the document" } },
  ],
  [
    "slides with other fields",
    { recorded: { version: 1, set: { slides: [{ headline: "one" }, { theme: "dark" }] } } },
    0,
    { "the fields of a slide": { service: "headline, theme", verdict: "the mock guesses otherwise" } },
  ],
  [
    "a job that fails",
    { recorded: { version: 1, set: { states: ["failed"], error: { code: 7 } } } },
    0,
    {
      "the error of a failed job": { service: "code", verdict: "the mock guesses otherwise" },
      "the fields of a slide": { verdict: "not tried" },
    },
  ],
])("a service with %s: exit code and rows", async (_, options, code, expected) => {
  const { environment } = await serve({ allowance: 1_000, ...options });
  const ended = await verify(spendOnNew, environment);
  expect(ended.code).toBe(code);
  for (const [what, row] of Object.entries(expected)) expect(ended.rows[what]).toMatchObject(row);
});

/** A server in front of the mock, for what no mock does. */
type Change = (
  path: string,
  sent: string,
  headers: Record<string, unknown>,
) => [status: number, body: string] | undefined;
async function inFront(change: Change) {
  const { mock, environment } = await serve();
  const target = new URL(environment.SCREENSHOT_SETS_BASE_URL).origin;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = Buffer.concat(chunks).toString();
    const own = change(request.url ?? "", sent, request.headers);
    if (own) return void response.writeHead(own[0]).end(own[1]);
    const { host: _, connection: __, ...headers } = request.headers;
    const { method = "GET" } = request;
    const init = { method, headers: headers as Record<string, string>, ...(sent && { body: sent }) };
    const answer = await fetch(target + request.url, init);
    response.writeHead(answer.status).end(await answer.text());
  });
  onTestFinished(() => void server.close().closeAllConnections());
  const SCREENSHOT_SETS_BASE_URL = `http://127.0.0.1:${await listening(server)}/api/v1`;
  return { mock, environment: { ...environment, SCREENSHOT_SETS_BASE_URL } };
}

test.each<[string, [status: number, body: string], service: string, code: number]>([
  ["another document", [200, '{"openapi":"3.1.0"}'], "another", 0],
  ["no document", [404, "<h1>"], "404 a web page", 1],
  ["a web page as its document", [200, "<h1>"], "200 a web page", 1],
])("a service with %s", async (_, answer, service, code) => {
  const { environment } = await inFront((path) => (path.endsWith("openapi.json") ? answer : undefined));
  const ended = await verify([], environment);
  expect(ended.code).toBe(code);
  expect(ended.rows["the OpenAPI document"]).toMatchObject({ service, verdict: "differs from the document" });
  expect(ended.rows["a set {}"]).toMatchObject({ verdict: "the mock is right" });
});

test("a service behind another base URL is asked below it, for the same made-up job each time", async () => {
  const paths: string[] = [];
  const { environment } = await inFront((path) => void paths.push(path));
  const url = new URL("/proxy/v9", environment.SCREENSHOT_SETS_BASE_URL).href;
  for (const _ of [1, 2]) await run(["verify"], { ...environment, SCREENSHOT_SETS_BASE_URL: url });
  expect([...new Set(paths)].sort()).toEqual([
    ...["/proxy/v9/public/openapi.json", "/proxy/v9/public/v1/apps"],
    ...["/proxy/v9/public/v1/jobs/verify-no-such-job", "/proxy/v9/public/v1/screenshots"],
  ]);
});

test("a service that refuses one of the key's headers differs from the document", async () => {
  const { environment } = await inFront((_, __, headers) =>
    headers["x-api-key"] === undefined ? undefined : [401, ""],
  );
  const { code, rows } = await verify([], environment);
  expect(code).toBe(1);
  expect(rows["the key in Authorization"]?.verdict).toBe("as documented");
  expect(rows["the key in x-api-key"]).toMatchObject({
    service: "401 empty",
    verdict: "differs from the document",
  });
});

test.each<[string, Fault, code: number, service: string]>([
  ["accepted", { status: 201, body: { jobId: "job 9", credits: { cost: 10 } } }, 3, "accepted: 201 {"],
  ["answered by a web page", { status: 200, body: "<h1>Hello</h1>" }, 3, "accepted: 200 <h1>Hello</h1>"],
  ["redirected", { status: 307, headers: { location: "/api/v1/public/v1/apps" } }, 3, "307 { error"],
  ["reset", "reset", 3, "no answer (ECONNRESET)"],
  ["left without an answer", "hang", 3, "no answer in time"],
  ["answered 500", { status: 500 }, 3, "500 { error"],
  ["answered 503 by a proxy", { status: 503, body: "<h1>", retryAfter: 0 }, 3, "503 a web page"],
  ["answered 408", { status: 408 }, 3, "408 { error"],
  ["cut off", "truncated", 1, "400, not to its end"],
])("a set {} that is %s: exit code, and nothing is ordered after it", async (_, fault, code, service) => {
  const { mock, environment } = await serve();
  mock.fault(fault, { operation: "createScreenshots", times: 9 });
  const ended = await verify(spendOnNew, environment);
  expect(ended.code).toBe(code);
  expect(ended.rows["a set {}"]?.service).toMatch(service);
  expect(ended.rows["a set {}"]?.verdict).toBe("differs from the document");
  expect(ended.rows["the price of a set"]?.verdict).toBe("not tried");
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(1);
  expect(mock.requests({ operation: "createApp" })).toEqual([]);
});

test("a set {} that a limit of requests keeps from its refusal ends the creates, and exits 1", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 429, retryAfter: 0 }, { operation: "createScreenshots", times: 9 });
  const { code, rows, stderr } = await verify(spendOnNew, environment);
  expect(code).toBe(1);
  expect(rows["a set {}"]?.verdict).toBe("differs from the document");
  expect(stderr).toContain("createScreenshots failed with 429");
  expect(mock.requests({ operation: "createApp" })).toEqual([]);
});

test.each([
  [{ status: 503 }, "503 { error: { code, message } }"],
  [{ status: 429, retryAfter: 0 }, "429 { error: { code, message } }"],
  [{ status: 408 }, "408 { error: { code, message } }"],
  [{ status: 403 }, "403 { error: { code, message } }"],
])("a key that is only answered %o is not seen to be accepted", async (fault, service) => {
  const { mock, environment } = await serve();
  mock.fault(fault, { operation: "getJob", times: 99 });
  const { code, rows } = await verify([], environment);
  expect(code).toBe(1);
  for (const what of ["the key in Authorization", "the key in x-api-key"])
    expect(rows[what]).toMatchObject({ service, verdict: "differs from the document" });
});

test.each([401, 403, 408, 429, 503])("a %i is not recorded as the refusal of a request", async (status) => {
  const { mock, environment } = await serve();
  const passing = { status, retryAfter: 0 };
  // The document is read without a fault, so that the service is known to be there.
  for (const operation of ["getJob", "createScreenshots"] as const)
    mock.fault(passing, { operation, times: 9 });
  const file = outFile();
  await run(["verify", "--out", file], environment);
  const { refusals } = existsSync(file) ? readRecorded(file) : {};
  expect(refusals?.getJob?.notFound).toBeUndefined();
  expect(refusals?.createScreenshots?.invalidRequest).toBeUndefined();
});

test("an acceptance against the rules is told first, with what it gave and how to wait for it", async () => {
  const { mock, environment } = await serve();
  const body = { jobId: "job_9", credits: { cost: 10, remaining: 3 } };
  mock.fault({ status: 201, body }, { operation: "createScreenshots" });
  const { code, stdout, stderr } = await run(["verify", "--json", "--out", outFile()], environment);
  expect(code).toBe(3);
  expect(stderr.split("\n")).toEqual([
    `Against the rules, a set {} was accepted: 201 ${JSON.stringify(body)}`,
    "To get the result, run:",
    "screenshot-sets wait job_9 --json",
    "",
  ]);
  expect(JSON.parse(stdout)[0]).toMatchObject({
    ...{ what: "a set {}", service: `accepted: 201 ${JSON.stringify(body)}` },
  });
});

test("a set {} that is answered 503 may have been charged, and is not sent again", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 503, body: "Down" }, { operation: "createScreenshots" });
  const { code, stderr } = await run(["verify"], environment);
  expect(code).toBe(3);
  expect(stderr).toBe("It is not certain that a set {} was refused, so check the credits: 503 Down\n");
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(1);
});

test("what was accepted is told without the key, and on one line", async () => {
  const { mock, environment } = await serve({ apiKey: "ss_live_very_secret" });
  const body = "ss_live_very_secret\nAll is well\u001b[2J";
  mock.fault({ status: 200, body }, { operation: "createScreenshots" });
  const { stdout, stderr } = await run(["verify"], environment);
  expect(stderr).toBe("Against the rules, a set {} was accepted: 200 *** All is well\\u001b[2J\n");
  expect(stdout + stderr).not.toContain("very_secret");
});

test("an app {} that is accepted ends the creates, and exits 3", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 200, body: { appId: "app_9" } }, { operation: "createApp" });
  const { code, stderr } = await run(["verify", ...spendOnNew], environment);
  expect(code).toBe(3);
  expect(stderr).toContain('an app {} was accepted: 200 {"appId":"app_9"}');
  expect(mock.requests({ operation: "createApp" })).toHaveLength(1);
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(1);
});

test("a set of an unknown app that is accepted is the only one", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 201, body: { jobId: "job_9" } }, { operation: "createScreenshots", skip: 1 });
  const { code, stderr } = await run(["verify", ...spendOnNew], environment);
  expect(code).toBe(3);
  expect(lastLine(stderr)).toBe("screenshot-sets wait job_9");
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(2);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(1);
});

test.each<[string, Fault]>([
  ["reset", "reset"],
  ["malformed", "malformed"],
  ["an error", { status: 503 }],
  ["no answer", "hang"],
])("a set whose acceptance is lost (%s) exits 3, and is not ordered again", async (_, fault) => {
  const { mock, environment } = await serve();
  mock.fault(fault, { operation: "createScreenshots", skip: 2, times: 9, when: "after" });
  const { code, stderr } = await run(["verify", ...spendOnNew, "--timeout", "1"], environment);
  expect(code).toBe(3);
  expect(stderr).toMatch(/may have been charged|may have accepted/);
  expect(mock.credits.used).toBe(setCost);
});

test.each([
  [402, /402.*Check the account's credits\. App app_1 was created/],
  [404, /404/],
])("a set that is refused with %i costs nothing, and exits 1", async (status, says) => {
  const { mock, environment } = await serve();
  mock.fault({ status }, { operation: "createScreenshots", skip: 2 });
  const { code, stderr } = await run(["verify", ...spendOnNew], environment);
  expect(code).toBe(1);
  expect(stderr).toMatch(says);
});

test("a job that never ends exits 3 after the time, with what was seen and how to wait for it", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const file = outFile();
  const { code, rows, stderr } = await verify(
    [...spendOnNew, "--timeout", "0.5", "--out", file],
    environment,
  );
  expect(code).toBe(3);
  expect(rows["the states of a job"]).toMatchObject({ service: "queued", verdict: "as documented" });
  expect(lastLine(stderr)).toBe("screenshot-sets wait job_1 --json");
  expect(readRecorded(file).set).toEqual({ cost: setCost, count: 5 });
});

test("a job that is never seen has no states", async () => {
  const { mock, environment } = await serve();
  mock.fault("hang", { operation: "getJob", skip: 2, times: 9 });
  const { code, rows } = await verify([...spendOnNew, "--timeout", "0.5"], environment);
  expect(code).toBe(3);
  expect(rows["the states of a job"]?.verdict).toBe("not tried");
});

test("a set that cannot be ordered is told in the last line, too", async () => {
  const { environment } = await serve();
  const { code, stdout } = await run(["verify", ...spend, "--app-id", "app_9"], environment);
  expect(code).toBe(1);
  expect(lastLine(stdout)).toMatch(/^No difference was seen, but: createScreenshots failed with 404: /);
});

test("an interrupt after the acceptance exits 130, records what was seen, and says how to wait", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const file = outFile();
  const verify = start(["verify", ...spendOnNew, "--out", file], environment);
  await verify.says(/is queued/);
  verify.child.kill("SIGINT");
  const { code, stdout, stderr } = await verify.outcome;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(lastLine(stderr)).toBe("screenshot-sets wait job_1");
  expect(readRecorded(file).set).toEqual({ cost: setCost, count: defaultCount });
});

test("an interrupt while a set {} is in flight says that it may have been charged", async () => {
  const { mock, environment } = await serve();
  mock.fault("hang", { operation: "createScreenshots" });
  const verify = start(["verify"], environment);
  await expect.poll(() => mock.requests({ operation: "createScreenshots" })).toHaveLength(1);
  verify.child.kill("SIGINT");
  const { code, stderr } = await verify.outcome;
  expect(code).toBe(130);
  expect(lastLine(stderr)).toMatch(
    /^Interrupted while createScreenshots was in flight: .* may have been charged/,
  );
});

test("an interrupt while nothing is answered exits 130", async () => {
  const server = await rawServer(() => {});
  const verify = start(["verify"], environmentOf(server.baseUrl));
  await expect.poll(() => server.seen.length).toBe(5);
  verify.child.kill("SIGINT");
  expect(await verify.outcome).toMatchObject({ code: 130, stdout: "", stderr: "Interrupted.\n" });
});

test.each<[string, Parameters<typeof rawServer>[0], says: RegExp]>([
  ["hangs", () => {}, /timed out: no whole answer/],
  ["resets connections", (socket) => socket.resetAndDestroy(), /no answer/],
  ["redirects", reply(302, "", { location: "https://example.com/" }), /redirect/],
  ["is a web page", reply(200, "<h1>ss_live_very_secret</h1>"), /Check SCREENSHOT_SETS_BASE_URL/],
  ["is down", reply(503, {}), /failed with 503.* Try again later/],
  ["refuses all for the number of requests", reply(429, {}), /failed with 429.* Try again later/],
  ["refuses the key", reply(401, { message: "Revoked" }), /Check SCREENSHOT_SETS_API_KEY/],
])("a service that %s is sent no create, exits 1, and is not recorded", async (_, answer, says) => {
  const server = await rawServer(answer);
  const file = outFile();
  writeFileSync(file, "an earlier recording");
  const { code, stderr, list } = await verify([...spendOnNew, "--out", file], environmentOf(server.baseUrl));
  expect(code).toBe(1);
  expect(readFileSync(file, "utf8")).toBe("an earlier recording");
  expect(stderr).toMatch(says);
  expect(server.seen.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(JSON.stringify(list) + stderr).not.toContain("very_secret");
});

test("a create that is answered 421, which fetch sends again by itself, is sent once", async () => {
  const server = await rawServer((socket, seen, index) =>
    reply(seen.method === "GET" ? 404 : 421, {})(socket, seen, index),
  );
  expect((await verify([], environmentOf(server.baseUrl))).code).toBe(3);
  expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a service that cannot be reached exits 1", async () => {
  const { code, stderr } = await run(
    ["verify"],
    environmentOf(`http://127.0.0.1:${await closedPort()}/api/v1`),
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/ECONNREFUSED.*Check SCREENSHOT_SETS_BASE_URL and the network\./);
});

test("a service with huge answers is asked once, and neither they nor the key are shown", async () => {
  const huge = `ss_live_very_secret${"x".repeat(11_000_000)}`;
  const server = await rawServer((socket, seen, index) =>
    (/openapi/.test(seen.path) ? reply(200, {}) : reply(seen.method === "GET" ? 404 : 201, huge))(
      socket,
      seen,
      index,
    ),
  );
  const file = outFile();
  const { code, stdout, stderr } = await run(["verify", "--out", file], environmentOf(server.baseUrl));
  expect(code).toBe(3);
  expect(stdout.length + stderr.length).toBeLessThan(10_000);
  expect(stdout + stderr + readFileSync(file, "utf8")).not.toContain("very_secret");
  expect(readRecorded(file).refusals?.getJob?.notFound).toEqual({ status: 404 });
  expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a key that the service refuses is told as that", async () => {
  const { environment } = await serve();
  const { code, stderr } = await run(["verify"], {
    ...environment,
    SCREENSHOT_SETS_API_KEY: "ss_live_revoked",
  });
  expect(code).toBe(1);
  expect(stderr).toContain("Check SCREENSHOT_SETS_API_KEY");
});

test("a passing failure of a read is no difference", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 503, retryAfter: 0 }, { operation: "getJob", times: 2 });
  const { code, rows } = await verify([], environment);
  expect(code).toBe(0);
  expect(rows["an unknown job"]).toMatchObject({ verdict: "the mock is right" });
});

test.runIf(existsSync("/dev/full"))(
  "a file that is full is told beside the table, and exits 3 after a set",
  async () => {
    const { environment } = await serve();
    const free = await run(["verify", "--out", "/dev/full"], environment);
    const paid = await run(["verify", "--out", "/dev/full", ...spendOnNew], environment);
    expect([free.code, paid.code]).toEqual([1, 3]);
    expect(free.stderr).toMatch(/^What was seen cannot be written to --out: .*\.\n$/);
    expect(lastLine(paid.stderr)).toBe("screenshot-sets wait job_1");
    expect(paid.stdout).toMatch(/^the price of a set .* as documented$/m);
  },
);

test("--out writes what `mock --recorded` reads, the key aside", async () => {
  const { mock, environment } = await serve();
  const { apiKey } = mock.clientOptions;
  mock.fault({ status: 404, body: { echo: `key ${apiKey}` } }, { operation: "getJob", times: 2 });
  const file = outFile();
  await run(["verify", "--out", file], environment);
  expect(readRecorded(file)).toMatchObject({
    version: 1,
    refusals: { getJob: { notFound: { body: { echo: "key ***" } } } },
  });
  const program = [
    "-e",
    "fetch(process.env.SCREENSHOT_SETS_BASE_URL + '/public/v1/jobs/x').then((r) => process.exit(r.status - 400))",
  ];
  expect((await run(["mock", "--recorded", file, "--", process.execPath, ...program])).code).toBe(1);
});
