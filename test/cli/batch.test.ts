import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { devices, setCost } from "screenshot-sets";
import { beforeEach, expect, test } from "vitest";
import { lastLine, run, serve, start } from "./run.js";
import { Terminal } from "./terminal.js";

const listingOf = (country: string) => ({ iosUrl: `https://apps.apple.com/${country}/app/example/id1` });

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-batch-"));
  file = join(folder, "sets.json");
  return () => rmSync(folder, { recursive: true, force: true });
});

/** Writes the file of a batch: an app for each country, and for each a set of every device. */
function write(countries: string[], its: readonly string[] = devices.slice(0, 2)): void {
  const apps = Object.fromEntries(countries.map((country) => [country, listingOf(country)]));
  const keys = countries.flatMap((app) =>
    its.map((device) => [`${app}/${device}`, { app, device }] as const),
  );
  writeFileSync(file, JSON.stringify({ apps, sets: Object.fromEntries(keys) }));
}

/** Moving up to the first line of the table, and erasing what is below. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const moves = /\u001b\[(\d+A|J)/g;

const jsonLines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test("plans every set once over all runs, creates each app once, and stays within the budget", async () => {
  const { mock, environment } = await serve({ allowance: 1_000 });
  write(["us", "de"]);
  const first = await run(
    ["batch", file, "--max-credits", String(3 * setCost), "--concurrency", "1"],
    environment,
  );
  expect(first.code).toBe(1);
  expect(first.stdout.split("\n").sort()).toEqual([
    "",
    "de/iphone-67: skipped: the budget is used up",
    `de/iphone-69: succeeded (5 slides, job_3, ${setCost} credits)`,
    `us/iphone-67: succeeded (5 slides, job_2, ${setCost} credits)`,
    `us/iphone-69: succeeded (5 slides, job_1, ${setCost} credits)`,
  ]);
  expect(first.stderr).toMatch(/4 of 4 sets ended, 30 credits spent, 0 of 30 left, \d+ s\.\n$/);

  const second = await run(["batch", file, "--json"], environment);
  expect(second.code).toBe(0);
  const lines = jsonLines(second.stdout);
  expect(lines.map(({ key }) => key).sort()).toEqual([
    "de/iphone-67",
    "de/iphone-69",
    "us/iphone-67",
    "us/iphone-69",
  ]);
  for (const line of lines) {
    expect(line).toMatchObject({
      status: "succeeded",
      job: { result: { slides: { length: 5 } } },
      credits: { cost: setCost },
    });
  }
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
    stdout: `us/iphone-69: would be ordered
us/iphone-67: would be ordered
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
    { key: "us/iphone-65", does: "order", params: { device: "iphone-65" } },
  ]);
  expect(mock.requests()).toHaveLength(requests);
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
  expect(
    jsonLines(stdout)
      .map(({ status, reason }) => reason ?? status)
      .sort(),
  ).toEqual(["aborted", "waiting", "waiting"]);
  expect(lastLine(stderr)).toBe(`screenshot-sets ${args.join(" ")}`);

  for (const id of ["job_1", "job_2"]) mock.jobs.succeed(id);
  const again = start(args, environment);
  await again.says(/job_3 is queued/);
  mock.jobs.succeed("job_3");
  expect((await again.outcome).code).toBe(0);
  expect(mock.credits.used).toBe(3 * setCost);
});

test.each([
  { why: "a job that failed", code: 1, fail: "failed" },
  { why: "a set that may have been charged", code: 3, fail: "uncertain" },
] as const)("exits $code for $why", async ({ code, fail }) => {
  const { mock, environment } = await serve();
  write(["us"]);
  if (fail === "failed") mock.nextJob({ outcome: "failed", error: { message: "no listing" } });
  else mock.fault("reset", { operation: "createScreenshots", when: "after" });
  const outcome = await run(["batch", file, "--json"], environment);
  expect(outcome.code).toBe(code);
  expect(jsonLines(outcome.stdout)).toContainEqual(
    expect.objectContaining({ status: fail, error: expect.objectContaining({ name: expect.any(String) }) }),
  );
});

test("a time-out exits 3, and the last line goes on", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  write(["us"], ["iphone-69"]);
  const { code, stdout, stderr } = await run(["batch", file, "--timeout", "0.3"], environment);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^us\/iphone-69: waiting \(job_1, 10 credits\): Job job_1 did not end within/);
  expect(lastLine(stderr)).toBe(`screenshot-sets batch ${file} --timeout 0.3`);
});

test("a revoked key ends the batch, and its error is the last line of the JSON", async () => {
  const { mock, environment } = await serve();
  write(["us"]);
  mock.keys.revoke(environment.SCREENSHOT_SETS_API_KEY);
  const { code, stdout, stderr } = await run(["batch", file, "--json"], environment);
  expect(code).toBe(1);
  expect(jsonLines(stdout).at(-1)).toMatchObject({ error: { name: "AuthenticationError", status: 401 } });
  expect(stderr).toContain("Check SCREENSHOT_SETS_API_KEY");
  expect(lastLine(stderr)).toBe(`screenshot-sets batch ${file} --json`);
});

test("an app that may have been created is not created again, and its sets are uncertain", async () => {
  const { mock, environment } = await serve();
  write(["us", "de"], ["iphone-69"]);
  mock.fault("reset", { operation: "createApp", when: "after" });
  for (let runs = 0; runs < 2; runs++) {
    const { code, stdout } = await run(["batch", file], environment);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^us\/iphone-69: uncertain, may have been charged: /m);
    expect(stdout).toMatch(/^de\/iphone-69: succeeded /m);
  }
  expect(mock.requests({ operation: "createApp" })).toHaveLength(2);
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
});

const set = { appId: "app_1", device: "iphone-69" };
const mistakes: [string, unknown, string][] = [
  ["no JSON", "{", "JSON"],
  ["a list", [], "expected the file to be an object."],
  ["no sets", {}, "expected sets to be an object."],
  ["an unknown field", { set: {}, sets: {} }, "The file has no field `set`. Did you mean `sets`?"],
  ["a set that is none", { sets: { a: 1 } }, "expected set a to be an object."],
  ["a set without an app", { sets: { a: { device: "iphone-69" } } }, "expected set a to have either `app`"],
  [
    "a set with two apps",
    { apps: { us: listingOf("us") }, sets: { a: { app: "us", ...set } } },
    "expected set a to have either `app`",
  ],
  [
    "a set for an unknown app",
    { sets: { a: { app: "us", device: "iphone-69" } } },
    'set a is for the app "us", which is not in `apps`.',
  ],
  [
    "a key of an app",
    { sets: { "app:us": set } },
    "expected the key of a set to be neither empty nor to begin with app:",
  ],
  ["a wrong device", { sets: { a: { ...set, device: "iphone" } } }, "set a: device: Expected "],
  ["an app without a listing", { apps: { us: {} }, sets: {} }, "app us: "],
];

test.each(mistakes)("refuses a file with %s before anything is sent", async (_, content, message) => {
  const { mock, environment } = await serve();
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const { code, stdout, stderr } = await run(["batch", file, "--json"], environment);
  expect(code).toBe(2);
  expect(stderr).toContain(`Cannot use ${file}: `);
  expect(stderr).toContain(message);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { name: "UsageError", message: expect.stringContaining(file) },
  });
  expect(mock.requests()).toEqual([]);
});

test.each([
  { args: ["none.json"], message: "Cannot use none.json: there is no such file." },
  { args: [], message: "Expected a FILE." },
  { args: ["x", "--max-credits", "-1"], message: "Expected a value after --max-credits." },
  { args: ["x", "--max-credits=-1"], message: "Expected --max-credits to be a whole number of 0 or more." },
  { args: ["x", "--concurrency", "0"], message: "Expected --concurrency to be a whole number of 1 or more." },
])("refuses $args", async ({ args, message }) => {
  const { code, stderr } = await run(["batch", ...args], (await serve()).environment);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("a state that is broken, or that another process uses, is refused before anything is sent", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  write(["us"]);
  const state = join(folder, "own.json");
  const args = ["batch", file, "--state", state];
  writeFileSync(state, "{");
  const broken = await run(args, environment);
  expect(broken).toMatchObject({ code: 2, stdout: "" });
  expect(broken.stderr).toContain(`${state} is broken`);
  expect(mock.requests()).toEqual([]);

  rmSync(state);
  const first = start(args, environment);
  await first.says(/job_2 is queued/);
  const second = await run(args, environment);
  expect(second).toMatchObject({ code: 2, stdout: "" });
  expect(second.stderr).toContain(`${state} is in use by process ${first.child.pid}`);
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(2);
});

test("create with several devices plans a set for each, and goes on with --state", async () => {
  const { mock, environment } = await serve();
  const args = [
    "create",
    "--ios-url",
    listingOf("us").iosUrl,
    "--device",
    "iphone-69",
    "--device",
    "ipad-pro",
    "--count",
    "2",
  ];
  const state = join(folder, "state.json");
  const limited = await run(
    [...args, "--state", state, "--max-credits", String(setCost), "--json"],
    environment,
  );
  expect(limited.code).toBe(1);
  expect(
    jsonLines(limited.stdout)
      .map(({ key, status }) => [key, status])
      .sort(),
  ).toEqual([
    ["ipad-pro", "skipped"],
    ["iphone-69", "succeeded"],
  ]);
  const whole = await run([...args, "--state", state], environment);
  expect(whole.code).toBe(0);
  expect(whole.stdout).toContain("ipad-pro: succeeded (2 slides, job_2");
  expect(mock.credits.used).toBe(2 * setCost);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(1);

  const ofAnApp = await run(
    ["create", "--app-id", "app_1", "--device", "iphone-69", "--device", "ipad-pro"],
    environment,
  );
  for (const device of ["iphone-69", "ipad-pro"])
    expect(ofAnApp.stdout).toContain(`${device}: succeeded (5 slides`);

  const out = join(folder, "out.txt");
  const mocked = await run([...args, "--mock", "--out", out]);
  expect(mocked).toMatchObject({ code: 0, stdout: "" });
  // In the order of their ends.
  expect(readFileSync(out, "utf8").trim().split("\n").sort()).toEqual([
    expect.stringMatching(/^ipad-pro: succeeded/),
    expect.stringMatching(/^iphone-69: succeeded/),
  ]);

  const twice = await run(
    ["create", "--app-id", "a", "--device", "ipad-pro", "--device", "ipad-pro"],
    environment,
  );
  expect(twice).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Expected --device ipad-pro once."),
  });
});

test("create --no-wait ends once the job is accepted, and says how to get the result", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const args = ["create", "--ios-url", listingOf("us").iosUrl, "--no-wait"];
  const json = await run([...args, "--device", "iphone-69", "--json"], environment);
  expect(json.code).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ jobId: "job_1", credits: {}, app: { appId: "app_1" } });
  expect(lastLine(json.stderr)).toBe("screenshot-sets wait job_1 --json");
  const text = await run([...args, "--device", "iphone-69"], environment);
  expect(text.stdout).toBe("Job job_2 was accepted\n10 credits were charged, 80 are left.\n");

  const several = await run([...args, "--device", "iphone-69", "--device", "ipad-pro"], environment);
  expect(several.code).toBe(0);
  expect(several.stdout).toMatch(/^iphone-69: waiting \(job_3, 10 credits\)/m);
  expect(several.stderr).toMatch(/^screenshot-sets wait job_3$/m);
  const both = await run([...args, "--device", "ipad-pro", "--timeout", "1"], environment);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("either --no-wait or --timeout") });
});

test.each([
  { columns: 100, keys: ["us/iphone-69  ", "us/iphone-67  "] },
  { columns: 30, keys: ["us/iphone-69  ", "us/iphone-67  "] },
])(
  "on a terminal of $columns columns, shows a table that is rewritten and never wraps",
  async ({ columns, keys }) => {
    const { mock, environment } = await serve({ lifecycle: "manual" });
    write(["us"]);
    const terminal = new Terminal(
      ["batch", file, "--max-credits", "100"],
      { ...environment, NO_COLOR: "1" },
      columns,
    );
    await terminal.shows(/us\/iphone-69 {2}job_\d is/);
    await terminal.shows(/us\/iphone-67 {2}job_\d is/);
    for (const id of ["job_1", "job_2"]) mock.jobs.advance(id);
    await terminal.shows(/us\/iphone-69 {2}job_\d is runn/);
    for (const id of ["job_1", "job_2"]) mock.jobs.succeed(id);
    expect(await terminal.exitCode).toBe(0);
    const { raw } = terminal;
    // Nothing but moving up, and erasing what is below.
    expect(raw.replaceAll(moves, "")).not.toContain("\u001b");
    const table = raw
      .replaceAll(moves, "\r")
      .split(/\r\n|\r/)
      .filter((line) => keys.some((key) => line.startsWith(key)));
    expect(table.length).toBeGreaterThan(4);
    expect(table.filter((line) => line.length > columns - 1)).toEqual([]);
    const end = raw.slice(raw.lastIndexOf("\u001b[J") + 3).split("\r\n");
    expect(end).toEqual([
      expect.stringMatching(/^us\/iphone-69: succeeded \(5 slides, job_\d, 10 credits\)$/),
      expect.stringMatching(/^us\/iphone-67: succeeded \(5 slides, job_\d, 10 credits\)$/),
      expect.stringMatching(/^2 succeeded: 2 of 2 sets ended, 20 credits spent, 80 of 100 left, \d+ s\.$/),
      "",
    ]);
  },
);

test("more sets than lines: those in work are shown, and how many are not", async () => {
  const { environment } = await serve({ lifecycle: "manual", allowance: 2_000 });
  write(
    Array.from({ length: 20 }, (_, index) => `c${index}`),
    devices.slice(0, 3),
  );
  const terminal = new Terminal(["batch", file, "--concurrency", "2"], environment);
  await terminal.shows(/c0\/iphone-69 +job_1 is queued/);
  await terminal.shows(/and 13 more/);
  terminal.type("\u0003");
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.screen.trimEnd().split("\n").at(-1)).toBe(`screenshot-sets batch ${file} --concurrency 2`);
});

test.each([{ CI: "true" }, { TERM: "dumb" }])("has a line for each change under %o", async (own) => {
  const { environment } = await serve();
  write(["us"], ["iphone-69"]);
  const terminal = new Terminal(["batch", file], { ...environment, ...own });
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.raw).not.toContain("\u001b");
  expect(terminal.screen).toMatch(/^us\/iphone-69: job_1 is running$/m);
  expect(terminal.screen).toMatch(/^us\/iphone-69: succeeded \(5 slides, job_1, 10 credits\)$/m);
});
