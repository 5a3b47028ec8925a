import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setCost } from "screenshot-sets";
import type { Recorded } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { defaultCount } from "../../src/generated/values.js";
import { type Answer, rawServer, reply } from "../helpers/raw-server.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
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

/** Answers every request but that for the document in this way. */
const besideDocument =
  (answer: Answer): Answer =>
  (socket, seen, index) =>
    (/openapi/.test(seen.path) ? reply(200, {}) : answer)(socket, seen, index);

/** Runs `verify --json`, and gives its rows by what they are about. */
async function verify(flags: string[], environment: Record<string, string>) {
  const { stdout, ...ended } = await run(["verify", "--json", ...flags], environment);
  const list: Row[] = JSON.parse(stdout);
  return { ...ended, list, rows: Object.fromEntries(list.map((row) => [row.what, row])) };
}

const outFile = () => join(temporaryFolder(), "recorded.json");
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
  expect(stderr).toMatch(/^Job job_1 was accepted: .*\nJob job_1 is queued \(\d+ s, 1 poll\)$/m);
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

test("a service behind another base URL is asked below it, for the same made-up job each time", async () => {
  const server = await rawServer(besideDocument(reply(404, {})));
  const url = new URL("/proxy/v9", server.baseUrl).href;
  for (const _ of [1, 2]) await run(["verify"], environmentOf(url));
  const paths = server.seen.map(({ path }) => path);
  expect([...new Set(paths)].sort()).toEqual([
    ...["/proxy/v9/public/openapi.json", "/proxy/v9/public/v1/apps"],
    ...["/proxy/v9/public/v1/jobs/verify-no-such-job", "/proxy/v9/public/v1/screenshots"],
  ]);
});

test("an address without the service's path is told as that, and gets no create", async () => {
  const { mock, environment } = await serve();
  const url = new URL("/", environment.SCREENSHOT_SETS_BASE_URL).href;
  const { code, stdout, stderr } = await run(["verify"], { ...environment, SCREENSHOT_SETS_BASE_URL: url });
  expect([code, mock.requests()]).toEqual([4, []]);
  expect(lastLine(stdout)).toBe("No difference was seen, but not all could be asked.");
  expect(stderr).toMatch(/^The service is not at this address: .*does not end in \/api\/v1/);
});

test("no create is sent once a limit of requests holds back what only reads", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 429, retryAfter: 60 }, { operation: "getJob", skip: 1, times: 9 });
  expect((await run(["verify"], environment)).code).toBe(4);
  expect(mock.requests({ operation: "createScreenshots" })).toEqual([]);
});

test.each([401, 403, 408, 429, 503])("a %i is not recorded as the refusal of a request", async (status) => {
  const { mock, environment } = await serve();
  const passing = { status, retryAfter: 60 };
  // The document is read without a fault, so that the service is known to be there.
  for (const operation of ["getJob", "createScreenshots"] as const)
    mock.fault(passing, { operation, times: 9 });
  const file = outFile();
  await run(["verify", "--out", file], environment);
  const { refusals } = existsSync(file) ? readRecorded(file) : {};
  expect(refusals?.getJob?.notFound).toBeUndefined();
  expect(refusals?.createScreenshots?.invalidRequest).toBeUndefined();
});

test("what was accepted is told without the key, and on one line", async () => {
  const { mock, environment } = await serve({ apiKey: "ss_live_very_secret" });
  const body = "ss_live_very_secret\nAll is well\u001b[2J";
  mock.fault({ status: 200, body }, { operation: "createScreenshots" });
  const { stdout, stderr } = await run(["verify"], environment);
  expect(stderr).toBe("Against the rules, a set {} was accepted: 200 *** All is well\\u001b[2J\n");
  expect(stdout + stderr).not.toContain("very_secret");
});

test("a job that never ends exits 3 after the time, with what was seen and how to wait for it", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const file = outFile();
  const { code, rows, stderr } = await verify([...spendOnNew, "--timeout", "2", "--out", file], environment);
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
  await expect.poll(() => server.seen.length).toBe(1);
  verify.child.kill("SIGINT");
  expect(await verify.outcome).toMatchObject({ code: 130, stdout: "", stderr: "Interrupted.\n" });
});

test("a service with huge answers is asked once, and neither they nor the key are shown", async () => {
  const huge = `ss_live_very_secret${"x".repeat(11_000_000)}`;
  const server = await rawServer(
    besideDocument((socket, seen, index) =>
      reply(seen.method === "GET" ? 404 : 201, huge)(socket, seen, index),
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

test("--out writes what `mock --recorded` reads, and --recorded compares with it", async () => {
  const refusal = { status: 422, body: { detail: [{ loc: ["body"], msg: "no" }] } };
  const refusals = {
    createApp: { invalidRequest: refusal },
    getJob: { notFound: { status: 410, text: "<h1>" } },
  };
  const { environment } = await serve({ recorded: { version: 1, refusals } });
  const file = outFile();
  await run(["verify", ...spendOnNew, "--out", file], environment);
  expect(readRecorded(file)).toMatchObject({
    version: 1,
    refusals,
    set: { cost: setCost, count: defaultCount },
  });

  const same = await verify(["--recorded", file], environment);
  expect(same.code).toBe(0);
  expect(same.rows["an app {}"]).toMatchObject({
    mock: "422 { detail: [{ loc: [string], msg }] }",
    verdict: "the mock is right",
  });
  const other = await verify(["--recorded", file], (await serve()).environment);
  expect(other.code).toBe(1);
  expect(other.rows["an app {}"]?.verdict).toBe("differs from the recording");

  const program = [
    "-e",
    "fetch(process.env.SCREENSHOT_SETS_BASE_URL + '/public/v1/jobs/x').then((r) => process.exit(r.status - 400))",
  ];
  expect((await run(["mock", "--recorded", file, "--", process.execPath, ...program])).code).toBe(1);
});

test("no key is in the recording, however an answer writes it", async () => {
  const key = "ss_live/q8+Zk31=";
  const units = (text: string) => text.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
  const base64 = (encoding: "base64" | "base64url") =>
    ["", "x", "xy"].map((before) => Buffer.from(`${before}${key}!`).toString(encoding));
  const texts = {
    plain: `"${key}"`,
    "by PHP": `"Bearer ${key.replaceAll("/", "\\/")}"`,
    "by its code units": `"${units(key)}"`,
    "JSON in JSON": JSON.stringify(`{"key":"${key.replaceAll("/", "\\/")}"}`),
    "for a URL": `"?key=${encodeURIComponent(key)}"`,
    "for a URL twice": `"?key=${encodeURIComponent(encodeURIComponent(key))}"`,
    "for HTML": `"<b>${key.replaceAll("/", "&#x2F;").replaceAll("+", "&#43;")}</b>"`,
    "in capitals": `"${key.toUpperCase()}"`,
    "as a name": `{"${key}":1}`,
    ...Object.fromEntries(base64("base64").map((text, place) => [`in Base64 ${place}`, `"${text}"`])),
    ...Object.fromEntries(base64("base64url").map((text, place) => [`for URLs ${place}`, `"${text}"`])),
  };
  const body = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  const server = await rawServer(reply(404, `{${body}}`));
  const file = outFile();
  const environment = { ...environmentOf(server.baseUrl), SCREENSHOT_SETS_API_KEY: key };
  await run(["verify", "--out", file], environment);

  const recorded = readRecorded(file).refusals?.getJob?.notFound?.body as Record<string, unknown>;
  expect(Object.keys(recorded)).toEqual(Object.keys(texts));
  for (const [name, value] of Object.entries(recorded)) {
    // At most a character on each side of it is left.
    expect(JSON.stringify(value), name).toMatch(/^.{0,12}\*{3}.{0,6}$/);
  }
});
