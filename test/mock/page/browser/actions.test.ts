import { expect } from "vitest";
import { openPage, test } from "./open-page.js";

test("moves jobs on by hand, keeps the focus near, and shows how they end", async () => {
  const { page, card, press, unfold, focused, createApp, createSet } = await openPage({
    lifecycle: "manual",
  });
  const appId = await createApp();
  for (const device of ["iphone-69", "ipad-pro"]) await createSet(appId, { device });
  const job = card("job_1");
  await card("job_2").getByText("queued").waitFor();
  expect(await page.getByRole("article").first().getAttribute("aria-label")).toBe("Job job_2");

  await press("Advance job_1");
  await job.getByText("running").waitFor();
  expect(await focused()).toBe("Advance job_1");
  await press("Succeed job_1");
  await unfold("job_1");
  await press("Fail job_2");
  await card("job_2").getByTestId("error").waitFor();

  expect(await job.getByTestId("slide").count()).toBe(3);
  expect(await job.getByTestId("guess").textContent()).toMatch(/^Filled in by the mock: index, caption\./);
  expect(await job.getByRole("button").count()).toBe(1);
  expect(await job.getByTestId("slide").first().textContent()).toBe("Slide 1 of 3index0");
  expect(await job.getByTestId("polls").textContent()).toBe("0 polls");
  await expect.poll(() => page.getByTestId("ledger-row").count()).toBe(2);
});

test("announces the ends of jobs, and folds them to a line with their error, its message first", async () => {
  const { page, card, button, unfold, mock, createApp, createSet } = await openPage({ lifecycle: "instant" });
  const appId = await createApp();
  const announced = () => page.locator("[aria-live]").textContent();
  await createSet(appId);
  await expect.poll(announced).toBe("Job job_1 has succeeded");
  mock.nextJob({ outcome: "failed", error: { code: 7, message: "no listing" } });
  await createSet(appId);
  await expect.poll(announced).toBe("Job job_2 has failed");
  await page.reload();
  const [failed, succeeded] = [card("job_2"), card("job_1")];
  await failed.getByTestId("error").getByText("no listing").waitFor();

  expect(await announced()).toBe("");
  expect(await failed.getByTestId("error").textContent()).toBe(
    'no listing {"code":7,"message":"no listing"}',
  );
  const facts = ["Mock app_1", "iphone-69", "3 slides", "account 1", "0 polls", "0 s", "10 credits"];
  for (const fact of facts) await succeeded.getByText(fact, { exact: true }).waitFor();
  for (const job of [failed, succeeded]) expect((await job.boundingBox())?.height).toBeLessThan(40);
  await unfold("job_2", "Error");
  await failed.getByText("There are no slides.").waitFor();
  expect(await failed.getByTestId("error").textContent()).toMatch(/^no listing\n\n\{\n {2}"code": 7,/);
  await unfold("job_1");
  expect(await button("Slides of job_1").getAttribute("aria-expanded")).toBe("true");
  await button("Slides of job_1").press("Enter");
  await expect.poll(() => succeeded.getByTestId("slide").count()).toBe(0);
  expect(await button("Slides of job_1").getAttribute("aria-expanded")).toBe("false");
});

test("says how long each job took or has been going on, and what it cost", async () => {
  const { card, mock, createApp, createSet } = await openPage({
    lifecycle: "manual",
    undocumented: { refundFailedJobs: true },
  });
  const appId = await createApp();
  for (let job = 1; job <= 3; job++) await createSet(appId);
  await mock.clock.advance(75_000);
  mock.jobs.succeed("job_1");
  mock.jobs.fail("job_2");
  await mock.clock.advance(5_000);

  await card("job_1")
    .getByText(/1 min 15 s in all.*10 credits/)
    .waitFor();
  await card("job_2")
    .getByText(/1 min 15 s in all.*refunded/)
    .waitFor();
  await card("job_3")
    .getByText(/1 min 20 s so far.*10 credits/)
    .waitFor();
  for (const [ms, age] of [
    [3_600_000, "1 h 1 min"],
    [86_400_000, "1 d 1 h"],
  ] as const) {
    await mock.clock.advance(ms);
    await card("job_3").getByText(age).waitFor();
  }
});

test.each([
  [{}, "No reason given"],
  [{ code: 7 }, 'No reason given {"code":7}'],
  [{ message: "no listing" }, 'no listing {"message":"no listing"}'],
])("says why a job failed, or that no reason was given: %j", async (error, words) => {
  const { page, createJob, mock } = await openPage({ lifecycle: "instant" });
  mock.nextJob({ outcome: "failed", error });
  await createJob();

  await expect.poll(() => page.getByTestId("error").allTextContents()).toEqual([words]);
});

test("shows slides in the shape of their device, each field under its own name", async () => {
  const { page, card, unfold, mock, createApp, createSet } = await openPage({ lifecycle: "instant" });
  const appId = await createApp();
  const shapes = {
    "iphone-69": 1320 / 2868,
    "iphone-67": 1290 / 2796,
    "iphone-65": 1242 / 2688,
    "ipad-pro": 2064 / 2752,
    "android-phone": 1080 / 1920,
    "android-tablet": 1600 / 2560,
  };
  const slides = [{ caption: "Hello", layout: "left", "own name": { a: [1] } }, "a text", 7, null, {}];

  for (const [index, [device, ratio]] of Object.entries(shapes).entries()) {
    mock.nextJob({ outcome: "succeeded", slides });
    await createSet(appId, { device });
    await unfold(`job_${index + 1}`);
    const cards = card(`job_${index + 1}`).getByTestId("slide");
    const box = await cards.first().boundingBox();
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(ratio, 1);
    const texts = await cards.allTextContents();
    expect(texts).toEqual(['Hellolayoutleftown name{"a":[1]}', "a text", "7", "null", ""]);
  }
  expect(await page.getByTestId("guess").count()).toBe(0);
});

test("says of slides and of requests what was recorded", async () => {
  const recorded = { version: 1, set: { slides: [{ caption: "seen" }], states: ["waiting", "done"] } };
  const { page, card, unfold, look, createJob } = await openPage({ recorded });
  const jobId = await createJob();
  await card(jobId).getByText("waiting").waitFor();
  for (let poll = 0; poll < 2; poll++) await look(jobId);
  await unfold(jobId);

  expect(await card(jobId).getByTestId("recorded").textContent()).toMatch(/^Recorded/);
  expect(await card(jobId).getByTestId("guess").count()).toBe(0);
  expect(await card(jobId).getByTestId("status").textContent()).toBe("done");
  expect(await card(jobId).getByTestId("slide").first().textContent()).toBe("seen");
  await page.getByTestId("request").getByText("recorded: slide").waitFor();
});

test("plans a set for somebody without code, with slides of their own, and shows no key", async () => {
  const { page, field, press, unfold, reads, focused, mock } = await openPage({ lifecycle: "instant" });
  await field("Slides of the next job of account 1").fill('[{ "caption": "Mine" }]');
  await press("Set slides of account 1");
  await expect.poll(() => field("Slides of the next job of account 1").inputValue()).toBe("");
  await field("Device").selectOption("ipad-pro");
  await press("Plan set");
  await unfold("job_1");

  expect(await page.getByTestId("slide").textContent()).toBe("Mine");
  expect(await focused()).toBe("Slides of job_1");
  expect(await page.content()).not.toContain(mock.clientOptions.apiKey);
  await reads("credits-left", "90");
  const second = mock.account();
  await field("For account").selectOption("2");
  await field("Number of slides").fill("2");
  await press("Plan set");
  await expect.poll(() => second.credits.used).toBe(10);
  expect(second.jobs.get("job_2_1").result?.slides).toHaveLength(2);
});

test("sets credits and lifecycle, of each account apart, and says how the credits add up", async () => {
  const { page, field, press, reads, mock, createJob } = await openPage();
  const second = mock.account({ allowance: 7 });
  const credits = (id: number) => page.getByRole("group", { name: `Account ${id}` }).locator(".credits");
  await credits(1).getByText("of 100").waitFor();
  await field("Credits left of account 2").fill("9");
  await press("Set credits of account 2");
  await expect.poll(() => second.credits.remaining).toBe(9);
  await field("Credits left of account 1").fill("42");
  await press("Set credits of account 1");
  await reads("credits-left", "42");
  await reads("credits-used", "0");
  await credits(1).getByText("58 taken away").waitFor();
  await credits(2).getByText("of 7 and 2 added").waitFor();
  await field("Lifecycle of account 1").fill("0.5s,2s");
  await press("Set lifecycle of account 1");
  await expect.poll(() => field("Lifecycle of account 1").inputValue()).toBe("0.5s,2s");
  await createJob();
  await reads("credits-left", "32");
  await reads("credits-used", "10");
  await credits(1).getByText("58 taken away").waitFor();
  await expect.poll(() => field("Credits left of account 1").inputValue()).toBe("32");
});

test("says what it refused, with the name of the field, beside it, and until something else is done", async () => {
  const { page, field, press, focused, mock, said, createJob } = await openPage({ lifecycle: "manual" });
  await createJob();
  mock.account();
  await page.getByRole("group", { name: "Account 2" }).waitFor();
  const refusals = [
    ["Credits left of account 2", "", "Set credits of account 2", /^Credits left: expected a number, got/],
    [
      "Lifecycle of account 2",
      "soon",
      "Set lifecycle of account 2",
      /^Lifecycle: expected instant, manual, recorded, or/,
    ],
    [
      "Slides of the next job of account 2",
      "3",
      "Set slides of account 2",
      /^Slides of the next job: expected an array/,
    ],
    [
      "Status of the answer",
      "1000",
      "Arm fault",
      /^Status of the answer: expected an integer from 200 to 599/,
    ],
    ["Skip", "-1", "Arm fault", /^Skip: expected a non-negative integer, got -1/],
    ["Number of slides", "x", "Plan set", /^Number of slides: expected a number, got a string/],
    ["Seconds", "-5", "Advance clock", /^Seconds: expected at least 0/],
  ] as const;

  for (const [name, wrong, action, text] of refusals) {
    const before = await field(name).inputValue();
    await field(name).fill(wrong);
    await press(action);
    const alert = page.getByRole("alert").filter({ hasText: text });
    await alert.waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
    const [box, place] = [await alert.boundingBox(), await field(name).boundingBox()];
    expect(Math.abs((box?.y ?? 0) - (place?.y ?? 0))).toBeLessThan(300);
    await field(name).fill(before);
  }
  await press("Set credits of account 2");
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  await page.route("**/advance", (route) => route.abort());
  await press("Advance job_1");
  await page.getByRole("article").getByText("Advance job_1: The mock does not answer.").waitFor();
  await press("Dismiss");
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  expect(await focused()).toBe("Job job_1");
  expect(said.splice(0)).toHaveLength(6);
});

test("says what it refused on top where the place of that is gone", async () => {
  const { page, press, mock, createJob } = await openPage({ lifecycle: "manual" });
  await createJob();
  await page.route("**/advance", (route) => route.abort());
  await press("Advance job_1");
  await page.getByRole("article").getByRole("alert").waitFor();

  mock.reset();

  await page.getByRole("banner").getByText("Advance job_1: The mock does not answer.").waitFor();
});

test("creates a key that it never shows, copies it, and revokes it", async () => {
  const { page, press, copied, focused } = await openPage();
  await press("Create key of account 1");
  await press("Copy key_2");
  await expect.poll(copied).toMatch(/^ss_live_/);

  expect(await page.content()).not.toContain(await copied());
  expect(await page.getByRole("list", { name: "Keys of account 1" }).getByText("ss_live_***").count()).toBe(
    2,
  );
  await press("Revoke key_2");
  await page.getByText("revoked").waitFor();
  expect(await focused()).toBe("Keys of account 1");
});

test("arms faults of every kind, says what each does, counts them down, and disarms them", async () => {
  const { page, field, press, focused, look, mock } = await openPage();
  const faults = page.getByRole("list", { name: "Armed faults" }).getByTestId("fault");
  const words = () => faults.locator("> span").allTextContents();
  await field("Status of the answer").fill("429");
  await field("Retry-After in seconds").fill("3");
  await field("Body of the answer").fill('{"slow":"down"}');
  await field("For operation").selectOption("getJob");
  await field("Times (empty: always)").fill("2");
  await press("Arm fault");
  const slow = '429, Retry-After 3 s, body {"slow":"down"}';
  await expect.poll(words).toEqual([`${slow}, twice, before getJob`]);
  expect(await focused()).toBe("Arm fault");
  await look("job_1");
  await expect.poll(words).toEqual([`${slow}, once, before getJob`]);

  await field("Times (empty: always)").fill("");
  await field("Skip").fill("5");
  await field("When").selectOption("after");
  for (const kind of ["latency", "reset", "hang", "malformed", "truncated"]) {
    await field("Fault").selectOption(kind);
    if (kind === "latency") await field("Milliseconds").fill("2000");
    await press("Arm fault");
  }
  await expect.poll(() => faults.count()).toBe(6);
  mock.fault({ status: 503, headers: { "x-a": "b" } }, { account: mock, times: 3, skip: 1 });
  mock.fault("truncated", { skip: Number.POSITIVE_INFINITY });
  const effects = ["2,000 ms late", "connection reset", "hang without an answer", "malformed answer"];
  await expect
    .poll(words)
    .toEqual([
      `${slow}, once, before getJob`,
      ...[...effects, "truncated answer"].map(
        (effect) => `${effect}, always, after getJob, skipping the next 5`,
      ),
      '503, headers {"x-a":"b"}, 3 times, before any operation of account 1, skipping the next one',
      "truncated answer, once, after any operation, skipping all",
    ]);
  await press("Disarm fault_1");
  await expect.poll(() => faults.count()).toBe(7);
  expect(await focused()).toBe("Armed faults");
});

test("names its parts, shows polls and ages, and resets only when it is told twice", async () => {
  const { page, field, press, unfold, reads, focused, mock, createJob, look } = await openPage();
  expect(await page.title()).toContain("screenshot-sets");
  expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
  for (const name of ["Accounts", "Jobs", "Requests", "Faults", "Ledger"]) {
    expect(await page.getByRole("region", { name, exact: true }).count()).toBe(1);
  }
  await reads("now", /2026-01-01 00:00:00 UTC.*virtual/);
  await createJob();
  for (const _ of ["queued", "running"]) await look("job_1");
  await reads("polls", "2 polls");
  await reads("status", "running");
  await field("Seconds").fill("75");
  await press("Advance clock");
  await reads("now", /00:01:15/);
  await reads("age", "1 min 15 s");
  await look("job_1");
  await unfold("job_1");

  await press("Reset");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await press("Reset");
  await page.keyboard.press("Escape");
  await expect.poll(() => dialog.count()).toBe(0);
  expect(mock.jobs.get("job_1")).toBeDefined();
  await press("Reset");
  await dialog.getByRole("button", { name: "Reset" }).click();
  await page.getByText("No jobs yet.").waitFor();
  await reads("now", /00:00:00/);
  expect(await focused()).toBe("Reset");
});
