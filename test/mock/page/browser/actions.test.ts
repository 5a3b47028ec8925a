import { expect } from "vitest";
import { card, copied, field, focused, openPage, patient, press, reads, test, unfold } from "./open-page.js";

test("moves jobs on by hand, keeps the focus near, and shows how they end", async () => {
  const { page, createApp, createSet } = await openPage({ lifecycle: "manual" });
  const appId = await createApp();
  for (const device of ["iphone-69", "ipad-pro"]) await createSet(appId, { device });
  const job = card(page, "job_1");
  await card(page, "job_2").getByText("queued").waitFor();
  expect(await page.getByRole("article").first().getAttribute("aria-label")).toBe("Job job_2");

  await press(page, "Advance job_1");
  await job.getByText("running").waitFor();
  expect(await focused(page)).toBe("Advance job_1");
  await press(page, "Succeed job_1");
  await unfold(page, "job_1");
  await press(page, "Fail job_2");
  await card(page, "job_2").getByTestId("error").waitFor();

  expect(await job.getByTestId("slide").count()).toBe(3);
  expect(await job.getByTestId("guess").count()).toBe(1);
  expect(await job.getByRole("button").count()).toBe(1);
  expect(await job.getByTestId("slide").first().textContent()).toBe("Slide 1 of 3index0");
  expect(await job.getByTestId("polls").textContent()).toBe("0 polls");
  await expect.poll(() => page.getByTestId("ledger-row").count(), patient).toBe(2);
});

test("announces the ends of jobs, and folds them to a line with their error and the name of their app", async () => {
  const { page, mock, createApp, createSet } = await openPage({ lifecycle: "instant" });
  const appId = await createApp();
  const announced = () => page.locator("[aria-live]").textContent();
  await createSet(appId);
  await expect.poll(announced, patient).toBe("Job job_1 has succeeded");
  mock.nextJob({ outcome: "failed", error: { reason: "no listing" } });
  await createSet(appId);
  await expect.poll(announced, patient).toBe("Job job_2 has failed");
  await page.reload();
  const [failed, succeeded] = [card(page, "job_2"), card(page, "job_1")];
  await failed.getByTestId("error").getByText("no listing").waitFor();

  expect(await announced()).toBe("");
  expect(await succeeded.getByRole("list").count()).toBe(0);
  expect(await succeeded.textContent()).toContain("Mock app_1 · iphone-69 · 3 slides · account 1 · 0 polls");
  for (const job of [failed, succeeded]) expect((await job.boundingBox())?.height).toBeLessThan(40);
  await unfold(page, "job_2");
  await failed.getByText("There are no slides.").waitFor();
  await unfold(page, "job_1");
  const button = page.getByRole("button", { name: "Slides of job_1", exact: true });
  expect(await button.getAttribute("aria-expanded")).toBe("true");
  await button.press("Enter");
  await expect.poll(() => succeeded.getByTestId("slide").count(), patient).toBe(0);
  expect(await button.getAttribute("aria-expanded")).toBe("false");
});

test("shows slides in the shape of their device, each field under its own name", async () => {
  const { page, mock, createApp, createSet } = await openPage({ lifecycle: "instant" });
  const appId = await createApp();
  const shapes = [
    ["iphone-69", 1320 / 2868],
    ["iphone-67", 1290 / 2796],
    ["iphone-65", 1242 / 2688],
    ["ipad-pro", 2064 / 2752],
    ["android-phone", 1080 / 1920],
    ["android-tablet", 1600 / 2560],
  ] as const;
  const slides = [{ caption: "Hello", layout: "left", "own name": { a: [1] } }, "a text", 7, null, {}];
  for (const [device] of shapes) {
    mock.nextJob({ outcome: "succeeded", slides });
    await createSet(appId, { device });
  }

  for (const [index, [, ratio]] of shapes.entries()) {
    const id = `job_${index + 1}`;
    await unfold(page, id);
    const cards = page.getByRole("list", { name: `Slides of ${id}`, exact: true }).getByTestId("slide");
    const box = await cards.first().boundingBox();
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(ratio, 1);
    const texts = (await cards.allTextContents()).join(" | ");
    expect(texts).toBe('Hellolayoutleftown name{"a":[1]} | a text | 7 | null | ');
  }
  expect(await page.getByTestId("guess").count()).toBe(0);
});

test("plans a set for somebody without code, with slides of their own, and shows no key", async () => {
  const { page, mock, said } = await openPage({ allowance: 15, lifecycle: "instant" });
  await field(page, "Slides of the next job of account 1").fill('[{ "caption": "Mine" }]');
  await press(page, "Set slides of account 1");
  await expect.poll(() => field(page, "Slides of the next job of account 1").inputValue(), patient).toBe("");
  await field(page, "Device").selectOption("ipad-pro");
  await press(page, "Plan set");
  await unfold(page, "job_1");

  expect(await page.getByTestId("slide").textContent()).toBe("Mine");
  expect(await focused(page)).toBe("Slides of job_1");
  expect(await page.content()).not.toContain(mock.clientOptions.apiKey);
  await reads(page, "credits-left", "5");
  mock.credits.set(50);
  const second = mock.account();
  await field(page, "For account").selectOption("2");
  await field(page, "Number of slides").fill("2");
  await press(page, "Plan set");
  await card(page, "job_2_1").waitFor();
  expect(second.jobs.get("job_2_1").status).toBe("succeeded");
  await field(page, "Number of slides").fill("11");
  await press(page, "Plan set");
  await page.getByRole("alert").getByText("answered 400").waitFor();
  expect(said.splice(0)).toEqual([expect.stringContaining("status of 400")]);
});

test("sets credits and lifecycle, of each account apart, and says what is wrong with them", async () => {
  const { page, mock, createJob, said } = await openPage();
  await field(page, "Credits left of account 1").fill("42");
  await press(page, "Set credits of account 1");
  await reads(page, "credits-left", "42");
  mock.account({ allowance: 7 });
  const second = page.getByRole("group", { name: "Account 2", exact: true }).getByTestId("credits-left");
  await expect.poll(() => second.textContent(), patient).toBe("7");
  await field(page, "Credits left of account 2").fill("9");
  await press(page, "Set credits of account 2");
  await expect.poll(() => second.textContent(), patient).toBe("9");
  expect(mock.credits.remaining).toBe(42);
  await field(page, "Lifecycle of account 1").fill("0.5s,2s");
  await press(page, "Set lifecycle of account 1");
  await expect.poll(() => field(page, "Lifecycle of account 1").inputValue(), patient).toBe("0.5s,2s");
  await createJob();
  await reads(page, "credits-left", "32");
  await reads(page, "credits-used", "10");
  await expect.poll(() => field(page, "Credits left of account 1").inputValue(), patient).toBe("32");

  for (const [name, button, wrong] of [
    ["Credits left of account 1", "Set credits of account 1", ""],
    ["Lifecycle of account 1", "Set lifecycle of account 1", "soon"],
  ] as const) {
    await field(page, name).fill(wrong);
    await press(page, button);
    await page.getByRole("alert").waitFor();
    await press(page, "Dismiss");
    await expect.poll(() => page.getByRole("alert").count(), patient).toBe(0);
  }
  expect(said.splice(0)).toEqual([expect.stringContaining("status of 400")]);
});

test("creates a key that it never shows, copies it, and revokes it", async () => {
  const { page, look } = await openPage();
  const keys = page.getByRole("list", { name: "Keys of account 1" });
  await press(page, "Create key of account 1");
  await press(page, "Copy key_2");
  await expect.poll(() => copied(page), patient).toMatch(/^ss_live_/);
  const headers = { "x-api-key": await copied(page) };

  expect(await page.content()).not.toContain(headers["x-api-key"]);
  expect(await keys.getByText("ss_live_***").count()).toBe(2);
  expect((await look("job_1", { headers })).status).toBe(404);
  await press(page, "Revoke key_2");
  await page.getByText("revoked").waitFor();
  expect((await look("job_1", { headers })).status).toBe(401);
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
});

test("arms faults of every kind, counts them down, and disarms them", async () => {
  const { page, look, said } = await openPage();
  const faults = page.getByRole("list", { name: "Armed faults" }).getByTestId("fault");
  await field(page, "Status of the answer").fill("429");
  await field(page, "Retry-After in seconds").fill("3");
  await field(page, "Body of the answer").fill('{"slow":"down"}');
  await field(page, "For operation").selectOption("getJob");
  await field(page, "Times (empty: always)").fill("2");
  await press(page, "Arm fault");
  await faults.first().waitFor();
  expect(await focused(page)).toBe("Arm fault");
  expect(await look("job_1")).toMatchObject({ status: 429, body: { slow: "down" } });
  await faults.filter({ hasText: "1 time" }).waitFor();

  await field(page, "Times (empty: always)").fill("");
  await field(page, "Skip").fill("5");
  await field(page, "When").selectOption("after");
  for (const kind of ["latency", "reset", "hang", "malformed", "truncated"]) {
    await field(page, "Fault").selectOption(kind);
    if (kind === "latency") await field(page, "Milliseconds").fill("20");
    await press(page, "Arm fault");
  }
  await expect.poll(() => faults.count(), patient).toBe(6);
  expect((await faults.allTextContents()).slice(1)).toEqual(
    ['{"latencyMs":20}', "reset", "hang", "malformed", "truncated"].map(
      (name) => `${name} getJob, always, after 5, afterDisarm`,
    ),
  );
  await press(page, "Disarm fault_1");
  await expect.poll(() => faults.count(), patient).toBe(5);
  expect(await focused(page)).toBe("Armed faults");

  await field(page, "Times (empty: always)").fill("none");
  await press(page, "Arm fault");
  await page.getByRole("alert").waitFor();
  expect(said.splice(0)).toEqual([expect.stringContaining("status of 400")]);
});

test("names its parts, shows polls and ages, and resets only when it is told twice", async () => {
  const { page, mock, createJob, look } = await openPage();
  expect(await page.title()).toContain("screenshot-sets");
  expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
  for (const name of ["Accounts", "Jobs", "Requests", "Faults", "Ledger"]) {
    expect(await page.getByRole("region", { name, exact: true }).count()).toBe(1);
  }
  await reads(page, "now", /2026-01-01 00:00:00 UTC.*virtual/);
  await createJob();
  for (const _ of ["queued", "running"]) await look("job_1");
  await reads(page, "polls", "2 polls");
  await reads(page, "status", "running");
  await field(page, "Seconds").fill("75");
  await press(page, "Advance clock");
  await reads(page, "now", /00:01:15/);
  await reads(page, "age", "1 min 15 s");
  expect(mock.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 1, 15));
  await look("job_1");
  await unfold(page, "job_1");

  await press(page, "Reset");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await press(page, "Reset");
  await page.keyboard.press("Escape");
  await expect.poll(() => dialog.count(), patient).toBe(0);
  expect(mock.jobs.get("job_1")).toBeDefined();
  await press(page, "Reset");
  await dialog.getByRole("button", { name: "Reset" }).click();
  await page.getByText("No jobs yet.").waitFor();
  await reads(page, "now", /00:00:00/);
  expect(await focused(page)).toBe("Reset");
});
