import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { devices, setCost } from "screenshot-sets";
import { beforeEach, expect, inject, test } from "vitest";
import { defaultCount } from "../../src/generated/values.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { lastLine, listing, run, serve, start } from "./run.js";

const listingOf = (country: string) => ({ iosUrl: `https://apps.apple.com/${country}/app/example/id1` });

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "sets.json");
});

/** Writes the file of a batch: an app for each country, and for each a set of every device. */
function write(countries: string[], its: readonly string[] = devices.slice(0, 2)): void {
  const apps = Object.fromEntries(countries.map((country) => [country, listingOf(country)]));
  const keys = countries.flatMap((app) => its.map((device) => [`${app}/${device}`, { app, device }]));
  writeFileSync(file, JSON.stringify({ apps, sets: Object.fromEntries(keys) }));
}

const jsonLines = (text: string) => JSON.parse(`[${text.trim().replaceAll("\n", ",")}]`) as Line[];

// biome-ignore lint/suspicious/noExplicitAny: a line has the fields of every outcome
type Line = any;

test("a batch that could not connect says how to go on", async () => {
  const { mock, environment } = await serve();
  write(["us"]);
  const { close, url } = await mock.listen();
  await close();
  const away = { ...environment, SCREENSHOT_SETS_BASE_URL: url };
  const { code, stdout, stderr } = await run(["batch", file], away);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^us\/iphone-69: failed, not charged: .*ECONNREFUSED/m);
  expect(stderr).toContain("To go on, run:\n");
  expect(lastLine(stderr)).toBe(`screenshot-sets batch ${file}`);
});

test("plans every set once over all runs, creates each app once, and stays within the budget", async () => {
  const { mock, environment } = await serve({ allowance: 1_000 });
  write(["us", "de"]);
  const flags = ["--max-credits", String(3 * setCost), "--concurrency", "1"];
  const first = await run(["batch", file, ...flags], environment);
  expect(first.code).toBe(1);
  expect(first.stdout.split("\n").sort()).toEqual([
    "",
    "de/iphone-67: skipped: the budget is used up",
    `de/iphone-69: succeeded (5 slides, job_3, ${setCost} credits)`,
    `us/iphone-67: succeeded (5 slides, job_2, ${setCost} credits)`,
    `us/iphone-69: succeeded (5 slides, job_1, ${setCost} credits)`,
  ]);
  expect(first.stderr).toMatch(
    /3 of 4 sets ended, 30 credits spent, 0 of the 30 of --max-credits left, \d+ s\.\n$/,
  );

  expect((await run(["batch", file], environment)).code).toBe(0);
  const again = await run(["batch", file, "--json"], environment);
  expect(again.code).toBe(0);
  const job = { result: { slides: { length: 5 } } };
  const planned = { status: "succeeded", job, credits: { cost: setCost } };
  expect(jsonLines(again.stdout)).toMatchObject(
    ["us/iphone-69", "us/iphone-67", "de/iphone-69", "de/iphone-67"].map((key) => ({ key, ...planned })),
  );
  expect(again.stderr).toMatch(/^4 succeeded: 4 of 4 sets ended, 40 credits spent, \d+ s\.\n$/);
  expect(mock.credits.used).toBe(4 * setCost);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(2);
  expect(readdirSync(folder).sort()).toEqual(["sets.json", "sets.json.state.json"]);
});

test("--dry-run says what would be sent and what it would cost, without a key, and changes nothing", async () => {
  write(["us"], devices.slice(0, 3));
  const dry = await run(["batch", file, "--dry-run", "--max-credits", String(2 * setCost)]);
  expect(dry).toEqual({
    code: 0,
    signal: null,
    stderr: "",
    stdout: `app us: would be created (iosUrl https://apps.apple.com/us/app/example/id1)
us/iphone-69: would be ordered (new app us, device iphone-69, count ${defaultCount})
us/iphone-67: would be ordered (new app us, device iphone-67, count ${defaultCount})
us/iphone-65: skipped: the budget is used up
2 sets would be ordered for ${2 * setCost} credits. 1 app would be created, at a cost that is not documented. Nothing was sent.
`,
  });
  expect(readdirSync(folder)).toEqual(["sets.json"]);

  const { mock, environment } = await serve({ lifecycle: "manual" });
  mock.fault("reset", { operation: "createScreenshots", when: "after" });
  const flags = ["--timeout", "0", "--concurrency", "1", "--max-credits", String(2 * setCost)];
  expect((await run(["batch", file, ...flags], environment)).code).toBe(3);
  const requests = mock.requests().length;
  const json = await run(["batch", file, "--dry-run", "--json"], environment);
  expect(jsonLines(json.stdout)).toMatchObject([
    { key: "us/iphone-69", does: "uncertain" },
    { key: "us/iphone-67", does: "wait", jobId: "job_2" },
    { key: "us/iphone-65", does: "order", params: { device: "iphone-65", count: defaultCount } },
    { total: { sets: 1, credits: setCost, apps: 0 } },
  ]);
  const again = await run(["batch", file, "--dry-run", "--again", "us/iphone-69"], environment);
  expect(again.stdout).toMatch(
    /^us\/iphone-69: would be ordered \(appId app_1, device iphone-69, count \d+\)$/m,
  );
  const elsewhere = { ...environment, SCREENSHOT_SETS_BASE_URL: "https://service.example/api/v1" };
  expect(await run(["batch", file, "--dry-run"], elsewhere)).toMatchObject({ code: 2, stdout: "" });
  const limited = await run(["batch", file, "--dry-run", ...flags.slice(-2)], environment);
  expect(limited.stdout).toMatch(/^us\/iphone-65: skipped: the budget is used up\n0 sets would be ordered /m);
  expect(mock.requests()).toHaveLength(requests);
  const over = ["batch", file, ...flags, "--again", "us/iphone-69"];
  const [line = ""] = (await run([...over, "--dry-run"], environment)).stdout.split("\n");
  expect(line).toMatch(/^us\/iphone-69: uncertain, may have .* not ordered again: the budget is used up\.$/);
  expect((await run(over, environment)).stdout).toContain(`${line}\n`);

  // As in the run, an order that is repeated comes before a new set, wherever they stand in FILE.
  write(["us"], devices.slice(0, 3).toReversed());
  const args = ["batch", file, "--again", "us/iphone-69", "--max-credits", String(3 * setCost), "--dry-run"];
  const inTurn = await run(args, environment);
  expect(inTurn.stdout).toMatch(/^us\/iphone-69: would be ordered [\s\S]*\nus\/iphone-65: skipped: /m);
});

test("an interrupt keeps what was accepted, and the last line goes on with it", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  write(["us"], devices.slice(0, 3));
  const args = ["batch", file, "--concurrency", "2", "--json"];
  const batch = start(args, environment);
  await batch.says(/job_1 is queued/);
  await batch.says(/job_2 is queued/);
  batch.child.kill("SIGINT");
  const { code, stdout, stderr } = await batch.outcome;
  expect(code).toBe(130);
  const ends = jsonLines(stdout).map(({ status, reason }) => reason ?? status);
  expect(ends.sort()).toEqual(["aborted", "waiting", "waiting"]);
  expect(stderr).toMatch(
    /^Interrupted\. 2 waiting, 1 skipped: 0 of 3 sets ended, 20 credits spent, \d+ s\.$/m,
  );
  expect(lastLine(stderr)).toBe(`screenshot-sets ${args.join(" ")}`);

  for (const id of ["job_1", "job_2"]) mock.jobs.succeed(id);
  const again = start(args, environment);
  await again.says(/job_3 is queued/);
  mock.jobs.succeed("job_3");
  expect((await again.outcome).code).toBe(0);
  expect(mock.credits.used).toBe(3 * setCost);
});

test.each([
  { what: "a job that failed", code: 1, status: "failed", error: "JobFailedError" },
  { what: "a set that may have been charged", code: 3, status: "uncertain", error: "CreateInterruptedError" },
  { what: "a time-out", code: 3, status: "waiting", error: "JobTimeoutError" },
])("exits $code for $what", async ({ code, status, error }) => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  write(["us"], ["iphone-69"]);
  if (status === "failed") mock.nextJob({ outcome: "failed", lifecycle: "instant" });
  if (status === "uncertain") mock.fault("reset", { operation: "createScreenshots", when: "after" });
  const ended = await run(["batch", file, "--json", "--timeout", "0"], environment);
  expect(ended.code).toBe(code);
  expect(jsonLines(ended.stdout)).toMatchObject([{ status, error: { name: error } }]);
  if (status === "uncertain") expect(ended.stderr).toContain("0 credits spent, 10 more maybe");
  if (status === "waiting")
    expect(lastLine(ended.stderr)).toBe(`screenshot-sets batch ${file} --json --timeout 0`);
});

test("the line of a set says how far its job is, and that a failed one has no reason", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  write(["us"]);
  const failed = { id: "job_1", status: "failed", result: null, error: null };
  mock.fault({ status: 200, body: failed }, { operation: "getJob" });
  const args = ["batch", file, "--concurrency", "1", "--timeout", "0"];
  const { stdout } = await run(args, environment);
  expect(stdout.split("\n")).toEqual([
    `us/iphone-69: failed (job_1, ${setCost} credits): Job job_1 failed. The service gave no reason.`,
    expect.stringMatching(/^us\/iphone-67: waiting \(job_2, .* when last seen\.$/),
    "",
  ]);
});

test("FILE that is a pipe, or that only /dev names, needs --state", async () => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  write(["us"], ["iphone-69"]);
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const typed = '"$1" "$2" batch /dev/stdin < "$3"';
  const redirected = spawnSync("sh", ["-c", typed, "sh", process.execPath, inject("command"), file], {
    encoding: "utf8",
  });
  for (const { stderr } of [redirected, await run(["batch", pipe], environment)])
    expect(stderr).toMatch(/^Expected --state FILE: /);
  expect(redirected.status).toBe(2);

  const state = join(folder, "state.json");
  const batch = run(["batch", pipe, "--state", state], environment);
  await writeFile(pipe, readFileSync(file));
  expect(await batch).toMatchObject({ code: 0 });
  expect((await run(["batch", file, "--state", state], environment)).code).toBe(0);
  expect(mock.credits.used).toBe(setCost);
});

test("a revoked key ends the batch, and each set has one line of the JSON", async () => {
  const { mock, environment } = await serve();
  write(["us"]);
  mock.keys.revoke(environment.SCREENSHOT_SETS_API_KEY);
  const { code, stdout, stderr } = await run(["batch", file, "--json", "--concurrency", "1"], environment);
  expect(code).toBe(1);
  expect(jsonLines(stdout)).toMatchObject([
    {
      key: "us/iphone-69",
      status: "failed",
      charged: "no",
      error: { name: "AuthenticationError", status: 401 },
    },
    { key: "us/iphone-67", status: "skipped", reason: "aborted" },
  ]);
  expect(stderr).toContain("Check SCREENSHOT_SETS_API_KEY");
  expect(lastLine(stderr)).toBe(`screenshot-sets batch ${file} --json --concurrency 1`);
});

test("the sets of an app that may have been created are skipped, with the cause, until one is ordered --again", async () => {
  const { mock, environment } = await serve();
  write(["us", "de"]);
  mock.fault("reset", { operation: "createApp", when: "after" });
  const args = ["batch", file, "--concurrency", "1"];
  for (let runs = 0; runs < 2; runs++) {
    const { code, stdout, stderr } = await run(args, environment);
    expect(code).toBe(1);
    expect(stdout.match(/^us\/.*: skipped: .*createApp failed.*$/gm)).toHaveLength(2);
    expect(stdout.match(/^de\/.*: succeeded /gm)).toHaveLength(2);
    expect(lastLine(stderr)).toBe(`screenshot-sets ${args.join(" ")}`);
  }
  expect(mock.requests({ operation: "createApp" })).toHaveLength(2);
  const dry = await run([...args, "--again", "us/iphone-67", "--dry-run"], environment);
  expect(lastLine(dry.stdout)).toMatch(/^2 sets would be ordered for 20 credits\. 1 app would be created, /);
  // Without it, the same words as in the run.
  const { stdout } = await run([...args, "--dry-run"], environment);
  expect(stdout).toMatch(
    /^us\/iphone-69: skipped: An earlier run did not learn .* once more with --again KEY\.$/m,
  );
  const again = await run([...args, "--again", "us/iphone-67"], environment);
  expect(again.code).toBe(0);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(3);
  expect(mock.credits.used).toBe(4 * setCost);
});

test("an app is created when the first of its sets is about to be ordered, and none that the budget does not reach", async () => {
  const { mock, environment } = await serve();
  write(["us", "de", "fr"], devices.slice(0, 1));
  const { code } = await run(
    ["batch", file, "--max-credits", String(2 * setCost), "--concurrency", "3"],
    environment,
  );
  expect(code).toBe(1);
  const operations = mock
    .requests()
    .map(({ operation }) => operation)
    .filter((name) => name !== "getJob");
  const creates = ["createApp", "createScreenshots"];
  expect(operations).toEqual([...creates, ...creates]);
});

test("an outage stops the creates of apps and sets, and --again orders what it left uncertain", async () => {
  const { mock, environment } = await serve();
  write(["us"], devices.slice(0, 4));
  mock.fault({ status: 503 }, { operation: "createScreenshots", times: 2 });
  const args = ["batch", file, "--concurrency", "1"];
  const first = await run(args, environment);
  expect(first.code).toBe(3);
  expect(first.stdout.split("\n").slice(0, 4)).toEqual([
    expect.stringMatching(/^us\/iphone-69: uncertain, may have been charged: .*failed with 503/),
    expect.stringMatching(/^us\/iphone-67: uncertain, /),
    expect.stringMatching(/^us\/iphone-65: skipped: it is unclear what became of creates before it/),
    expect.stringMatching(/^us\/ipad-pro: skipped: /),
  ]);
  expect(first.stderr).toMatch(/^If you decide to order an uncertain set once more, .* add --again KEY\. /m);
  const later = await run(args, environment);
  expect(later.stdout).toMatch(/^us\/iphone-69: uncertain, .*failed with 503/m);
  const keys = ["us/iphone-69", "us/iphone-67"].flatMap((key) => ["--again", key]);
  mock.nextJob({ outcome: "succeeded", lifecycle: "manual" });
  const again = await run([...args, ...keys, "--timeout", "0"], environment);
  expect(again.code).toBe(3);
  const left = await run([...args, ...keys, "--again", "us/iphone-65", "--timeout", "0"], environment);
  expect(left.stderr).toContain("--again leaves us/iphone-69 as it is: its job has not been seen to end.");
  expect(left.stderr).toContain("--again leaves us/iphone-65 as it is: it has succeeded.");
  // Not ordered once more by who goes on.
  expect(lastLine(again.stderr)).toBe(`screenshot-sets ${args.join(" ")} --timeout 0`);
  expect(mock.credits.used).toBe(4 * setCost);
  const unknown = await run([...args, "--again", "us"], environment);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toContain("Expected --again to be a key of a set, got us.");
});

test("an interrupt during the pause after a 429 for an app sends nothing more", async () => {
  const { mock, environment } = await serve();
  write(["us"]);
  mock.fault({ status: 429, retryAfter: 30 }, { operation: "createApp" });
  const batch = start(["batch", file, "--verbose"], environment);
  await batch.says(/createApp.*429|429.*createApp/);
  batch.child.kill("SIGINT");
  expect((await batch.outcome).code).toBe(130);
  expect(mock.requests()).toHaveLength(1);
  expect(await run(["batch", file], environment)).toMatchObject({ code: 0 });
  expect(mock.requests({ operation: "createApp" })).toHaveLength(2);
});

/** Lets the time of a process run a hundred times as fast, but for the time-out of an attempt. */
const fastTime = `
  const { now } = Date, { setTimeout } = globalThis, elapsed = performance.now.bind(performance), beganAt = now();
  globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 60_000 ? ms : ms / 100, ...rest);
  Date.now = () => beganAt + 100 * (now() - beganAt);
  performance.now = () => 100 * elapsed();
`;

test("an app that a 429 refuses for good is given up after five minutes, and was not charged", async () => {
  const { mock, environment } = await serve();
  write(["us"], ["iphone-69"]);
  mock.fault({ status: 429, retryAfter: 20 }, { operation: "createApp", times: 100 });
  const preload = `--import=data:text/javascript,${encodeURIComponent(fastTime)}`;
  const { code, stdout } = await run(["batch", file], { ...environment, NODE_OPTIONS: preload });
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^us\/iphone-69: failed, not charged: createApp failed with 429/),
  });
  expect(mock.requests().length).toBeGreaterThan(2);
  const plan = await run(["batch", file, "--dry-run"], environment);
  expect(plan.stdout).toMatch(/^app us: would be created/);
});

test("a signal while a create is in flight keeps what it paid for", async () => {
  const { mock, environment } = await serve();
  write(["us"], ["iphone-69"]);
  mock.fault({ latencyMs: 2_000 }, { operation: "createScreenshots", when: "after" });
  const batch = start(["batch", file], environment);
  await expect.poll(() => mock.credits.used).toBe(setCost);
  batch.child.kill("SIGHUP");
  const { code, stdout, stderr } = await batch.outcome;
  expect(stderr).toContain("Stopping: what is in flight ends first. A second interrupt stops at once.");
  expect(code).toBe(129);
  expect(stdout).toMatch(/^us\/iphone-69: accepted as job_1/);
  expect((await run(["batch", file], environment)).code).toBe(0);
  expect(mock.credits.used).toBe(setCost);
});

test("a state that is lost ends the batch, and its error has a line of the JSON after those of the sets", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  write(["us"]);
  const batch = start(["batch", file, "--json", "--concurrency", "1"], environment);
  await batch.says(/is queued/);
  rmSync(`${file}.state.json.lock`, { recursive: true });
  mock.jobs.succeed("job_1");
  const { code, stdout } = await batch.outcome;
  expect(code).toBe(1);
  expect(jsonLines(stdout)).toMatchObject([
    { key: "us/iphone-69", status: "succeeded" },
    { key: "us/iphone-67", status: "skipped" },
    { error: { message: expect.stringContaining(`${file}.state.json.lock was removed`) } },
  ]);
});

test("a state of another service is refused before anything is sent", async () => {
  const [trial, service] = [await serve(), await serve()];
  write(["us"]);
  expect((await run(["batch", file], trial.environment)).code).toBe(0);
  const { code, stdout, stderr } = await run(["batch", file], service.environment);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  for (const { environment } of [trial, service])
    expect(stderr).toContain(environment.SCREENSHOT_SETS_BASE_URL);
  expect(stderr).toContain("Use another state (--state FILE) for another service");
  expect(service.mock.requests()).toEqual([]);
});

test("--json --out has a line for each set as soon as it ends", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  write(["us"]);
  const out = join(folder, "out.jsonl");
  writeFileSync(out, "before");
  const batch = start(["batch", file, "--json", "--out", out], environment);
  await batch.says(/job_2 is queued/);
  expect(readFileSync(out, "utf8")).toBe("before");
  for (const [index, id] of ["job_1", "job_2"].entries()) {
    mock.jobs.succeed(id);
    await expect.poll(() => readFileSync(out, "utf8").split("\n").length).toBe(index + 2);
    expect(jsonLines(readFileSync(out, "utf8")).at(-1)).toMatchObject({ status: "succeeded", jobId: id });
  }
  expect(await batch.outcome).toMatchObject({ code: 0, stdout: "" });
});

test("an app whose listing is refused is tried again, also from another listing", async () => {
  const { mock, environment } = await serve();
  write(["us"], ["iphone-69"]);
  mock.fault({ status: 422 }, { operation: "createApp" });
  expect((await run(["batch", file], environment)).stdout).toMatch(/^us\/iphone-69: failed, not charged: /);
  writeFileSync(file, readFileSync(file, "utf8").replace("id1", "id2"));
  expect((await run(["batch", file], environment)).code).toBe(0);
  writeFileSync(file, readFileSync(file, "utf8").replace("id2", "id3"));
  const { code, stderr } = await run(["batch", file], environment);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^The app us was created from another listing before\./);
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace('"us":', '"de":').replace('"app":"us"', '"app":"de"'),
  );
  const renamed = await run(["batch", file], environment);
  expect(renamed.code).toBe(2);
  expect(renamed.stderr).toMatch(/^The set us\/iphone-69 was ordered for another app than de before\./);
  expect(await run(["batch", file, "--dry-run"], environment)).toEqual(renamed);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(2);
});

test("an app for which the account has too few credits is created in a later run", async () => {
  const { mock, environment } = await serve();
  write(["us"], ["iphone-69"]);
  mock.fault({ status: 402 }, { operation: "createApp" });
  const { code, stdout, stderr } = await run(["batch", file], environment);
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: "us/iphone-69: skipped: the account has too few credits\n",
  });
  expect(lastLine(stderr)).toBe(`screenshot-sets batch ${file}`);
  expect((await run(["batch", file], environment)).code).toBe(0);
});

const set = { appId: "app_1", device: "iphone-69" };
const forUs = { app: "us", device: "iphone-69" };

test.each<[unknown, ...string[]]>([
  ["{", "JSON"],
  [[], "expected the file to be an object."],
  [{}, "expected sets to be an object."],
  [{ apps: [], sets: [] }, "expected apps to be an object.", "expected sets to be an object."],
  [{ set: {}, sets: {} }, "the file has no field `set`. Did you mean `sets`?\n"],
  [{ "//": "ours", "é\u001b[2J": 1, sets: {} }, "has no field `//`. It ", "has no field `é\\u001b[2J`. It "],
  [
    '{"sets": {"a": {"appId": "1", "device": "ipad-pro"}, "b": {"x": {"a": 1}, "x": 2}, "a": {}}}',
    '"sets" → "b" → "x" comes twice.',
    '"sets" → "a" comes twice.',
  ],
  [
    { sets: { a: { ...set, coutn: 3 }, b: { device: "iphone-69" }, c: forUs, "app:us": set } },
    "set a has no field `coutn`. Did you mean `count`?\n",
    "expected set b to have either `app`",
    'set c is for the app "us", which is not in `apps`.',
    "expected the key of a set to be neither empty nor to begin with app:",
  ],
  [
    { app: {}, sets: { a: { ap: "us", device: "iphone-69" } } },
    "the file has no field `app`. Did you mean `apps`?\n",
    "set a has no field `ap`. Did you mean `app`?\n",
    "expected set a to have either `app`",
  ],
  [
    '{"sets": {"a": {"app": "us", "app": "us"}}, "x": 1}',
    '"sets" → "a" → "app" comes twice.',
    "the file has no field `x`.",
    'set a is for the app "us"',
  ],
  [
    { apps: {}, sets: { a: { ...set, size: 3, coutn: 3 } } },
    "set a has no field `size`. It takes `app`, ",
    "set a has no field `coutn`. Did you mean `count`?\n",
  ],
  [{ apps: { us: { iosurl: "" } }, sets: {} }, "app us has no field `iosurl`. Did you mean `iosUrl`?\n"],
  [
    { apps: { us: {} }, sets: { a: forUs, b: { ...set, device: "iphone", count: 99 } } },
    "app us: ",
    "set b: device: Expected ",
    "set b: count: Expected ",
  ],
  [undefined, "there is no such file."],
])(
  "refuses a file before anything is sent, and tells all mistakes of one kind: %j",
  async (content, ...messages) => {
    const { mock, environment } = await serve();
    if (content) writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    const { code, stdout, stderr } = await run(["batch", file, "--json"], environment);
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot use ${file}:`);
    for (const message of messages) expect(stderr).toContain(message);
    expect(JSON.parse(stdout).error).toEqual({ name: "UsageError", message: stderr.split("\n\nUsage")[0] });
    expect(await run(["batch", file, "--dry-run"])).toMatchObject({ code, stderr });
    expect(mock.requests()).toEqual([]);
  },
);

test("a byte order mark, `$schema`, and the order in which a formatter writes fields mean nothing", async () => {
  const { mock, environment } = await serve();
  const us = {
    iosUrl: "https://apps.apple.com/us/app/example/id1",
    androidUrl: "https://play.google.com/store/apps/details?id=com.example",
  };
  const one = { app: "us", device: "iphone-69", count: 3 };
  writeFileSync(file, `\ufeff${JSON.stringify({ $schema: "./sets.json", apps: { us }, sets: { one } })}`);
  expect((await run(["batch", file], environment)).code).toBe(0);
  const reversed = <Value extends object>(value: Value) =>
    Object.fromEntries(Object.entries(value).reverse());
  writeFileSync(file, JSON.stringify({ sets: { one: reversed(one) }, apps: { us: reversed(us) } }, null, 2));
  expect((await run(["batch", file], environment)).code).toBe(0);
  expect(mock.credits.used).toBe(setCost);
});

test("FILE, its state, the lock and --out are files of their own, by whatever name, or it is refused", async () => {
  const { mock, environment } = await serve();
  write(["us"]);
  const state = `${file}.state.json`;
  symlinkSync("sets.json.state.json", join(folder, "link"));
  linkSync(file, join(folder, "hard"));
  for (const [args, message] of [
    [["--out", state], "Expected --state and --out to be two files."],
    [["--out", join(folder, "link")], "Expected --state and --out to be two files."],
    [["--out", file], "Expected FILE and --out to be two files."],
    [["--out", join(folder, "hard")], "Expected FILE and --out to be two files."],
    [["--out", `${state}.lock`], "Expected the lock of --state and --out to be two files."],
    [["--state", join(folder, ".", "sets.json")], "Expected FILE and --state to be two files."],
  ] as const) {
    const { code, stderr } = await run(["batch", file, "--json", ...args], environment);
    expect([code, stderr.split("\n")[0]]).toEqual([2, message]);
  }
  expect(mock.requests()).toEqual([]);
  expect(existsSync(state)).toBe(false);
});

test("a state that is broken, or that another process uses, is refused before anything is sent", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  write(["us"]);
  const state = join(folder, "own.json");
  const args = ["batch", file, "--state", state];
  writeFileSync(state, "{");
  const broken = await run(args, environment);
  expect(broken).toMatchObject({ code: 2, stdout: "" });
  expect(broken.stderr).toContain(`${state} does not begin as a file of \`fileStore\``);
  expect(await run([...args, "--dry-run"])).toEqual(broken);
  writeFileSync(
    state,
    '{"format":"screenshot-sets batch 2"}\n{"key":"app:us","n":1,"value":{"params":[]}}\n',
  );
  for (const more of [[], ["--dry-run"]]) {
    expect(await run([...args, ...more], environment)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^What the state has of the app us is broken\./m),
    });
  }
  expect(mock.requests()).toEqual([]);

  rmSync(state);
  const first = start(args, environment);
  await first.says(/job_2 is queued/);
  const second = await run(args, environment);
  expect(second).toMatchObject({ code: 2, stdout: "" });
  expect(second.stderr).toContain(`${state} is locked: waiting up to 15 s to see whether`);
  expect(second.stderr).toContain(`${state} is in use by another process (number ${first.child.pid} on `);
  // It only reads.
  expect(await run([...args, "--dry-run"])).toMatchObject({ code: 0 });
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(2);
});

test.each([
  ["none/own.json", "its folder does not exist", []],
  [".", "it is a folder", []],
  [".", "it is a folder", ["--dry-run"]],
])("--state %s is wrong usage before anything is sent: %s", async (name, reason, more) => {
  const { mock, environment } = await serve();
  write(["us"]);
  const state = join(folder, name);
  const { code, stdout } = await run(["batch", file, "--state", state, "--json", ...more], environment);
  const message = `Cannot use --state ${state}: ${reason}.`;
  expect({ code, error: JSON.parse(stdout).error }).toEqual({
    code: 2,
    error: { name: "UsageError", message },
  });
  expect(mock.requests()).toEqual([]);
});

const devicesOf = (...names: string[]) => names.flatMap((name) => ["--device", name]);

test("create with several devices plans a set for each, goes on with --state, and writes lines into --out", async () => {
  const { mock, environment } = await serve();
  const args = [...devicesOf("iphone-69", "ipad-pro"), "--count", "2", "--state", join(folder, "state.json")];
  const limit = ["--max-credits", String(setCost)];
  const limited = await run(["create", ...listing, ...args, ...limit, "--json"], environment);
  expect(limited.code).toBe(1);
  const ends = jsonLines(limited.stdout).map(({ key, status }) => `${key} ${status}`);
  expect(ends.sort()).toEqual(["ipad-pro skipped", "iphone-69 succeeded"]);
  const out = join(folder, "out.txt");
  const whole = await run(["create", ...listing, ...args, "--out", out], environment);
  expect(whole).toMatchObject({ code: 0, stdout: "" });
  expect(readFileSync(out, "utf8")).toMatch(
    /^iphone-69: succeeded \(2 slides, job_1, .*\nipad-pro: succeeded \(2 slides, job_2, .*\n$/,
  );
  const existing = await run(["create", "--app-id", "app_1", ...args], environment);
  expect(existing.stdout).toMatch(/^ipad-pro: succeeded \(2 slides, job_2, /m);
  expect(mock.credits.used).toBe(2 * setCost);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(1);
});

test("several waits that timed out without --state are resumed apart, since no two can write the same --out", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const args = [...listing, ...devicesOf("iphone-69", "ipad-pro"), "--timeout", "0"];
  const [shown, written] = [
    await run(["create", ...args], environment),
    await run(["create", ...args, "--out", join(folder, "out.txt")], environment),
  ];
  expect(shown.stderr).toMatch(/^To get the results, run:\nscreenshot-sets wait job_\d\n.* job_\d\n$/m);
  expect(written.stderr).toMatch(
    /^To get the results, run, each with an --out of its own:\nscreenshot-sets wait job_\d\n.* job_\d\n$/m,
  );
});

test("create --no-wait ends once the job is accepted, and says how to get the result", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const args = ["create", ...listing, "--no-wait", ...devicesOf("iphone-69")];
  const json = await run([...args, "--json"], environment);
  expect(json.code).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ jobId: "job_1", credits: {}, app: { appId: "app_1" } });
  expect(lastLine(json.stderr)).toBe("screenshot-sets wait job_1 --json");
  const text = await run(args, environment);
  expect(text.stdout).toBe("Job job_2 was accepted\n10 credits were charged, 80 are left.\n");
  const several = await run([...args, ...devicesOf("ipad-pro")], environment);
  expect(several.code).toBe(0);
  expect(several.stdout.split("\n").sort()).toEqual([
    "",
    expect.stringMatching(/^ipad-pro: accepted as job_\d, 10 credits$/),
    expect.stringMatching(/^iphone-69: accepted as job_\d, 10 credits$/),
  ]);
  expect(several.stderr).toMatch(/^ipad-pro: accepted as job_\d$/m);
  expect(several.stderr).toMatch(/^screenshot-sets wait job_3$/m);
  const lines = jsonLines((await run([...args, ...devicesOf("ipad-pro"), "--json"], environment)).stdout);
  expect(lines.map(({ status, error }) => [status, error])).toEqual(Array(2).fill(["waiting", undefined]));
  const state = ["--state", join(folder, "sets.state.json")];
  const { stderr } = await run([...args, ...state], environment);
  const waits = args.filter((arg) => arg !== "--no-wait");
  expect(lastLine(stderr)).toBe(`screenshot-sets ${[...waits, ...state].join(" ")}`);
});
