import type { Page } from "playwright-core";
import { expect } from "vitest";
import { field, focused, openPage, patient, reads, test } from "./open-page.js";

/** Goes from control to control until one has this name, and presses a key there. */
async function use(page: Page, name: string, key: string, by: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  for (let step = 0; step < 60; step++) {
    if (step > 0 || (await focused(page)) !== name) await page.keyboard.press(by);
    if ((await focused(page)) === name) return page.keyboard.press(key);
  }
  throw new Error(`${name} is out of reach`);
}

/** Puts a text into a field, in place of what is there. */
async function write(page: Page, name: string, text: string): Promise<void> {
  await use(page, name, "Control+a");
  await page.keyboard.type(text);
}

test("reaches each control with Tab", async () => {
  const { page, mock, createJob } = await openPage({ lifecycle: "manual" });
  await createJob();
  mock.fault("hang");
  mock.keys.create();
  await page.getByRole("article").waitFor();
  await page.getByRole("button", { name: "Disarm fault_1" }).waitFor();
  await page.getByRole("button", { name: "Revoke key_2" }).waitFor();
  await page.getByRole("button", { name: "Body of request 2" }).waitFor();
  const controls = await page.evaluate(() =>
    [...document.querySelectorAll("a, button, input, select")]
      .filter((element) => element.checkVisibility())
      .map((element) => element.getAttribute("aria-label") ?? element.textContent),
  );

  const reached: string[] = [];
  for (const _ of controls) {
    await page.keyboard.press("Tab");
    reached.push(await focused(page));
  }

  expect(reached).toEqual(controls);
});

test("moves jobs, the clock and the whole mock with the keyboard alone", async () => {
  const { page, mock, createApp, createSet } = await openPage({ lifecycle: "manual" });
  const appId = await createApp();
  for (let count = 0; count < 2; count++) await createSet(appId);
  await page.getByRole("article").nth(1).waitFor();

  await write(page, "Seconds", "90");
  await page.keyboard.press("Enter");
  await reads(page, "now", /00:01:30/);
  await use(page, "Advance clock", "Space");
  await reads(page, "now", /00:03:00/);
  await use(page, "Advance job_2", "Space");
  await reads(page, "status", "running");
  await use(page, "Succeed job_2", "Enter");
  await reads(page, "status", "succeeded");
  await use(page, "Fail job_1", "Space");
  await expect.poll(() => mock.jobs.get("job_1").status, patient).toBe("failed");

  await use(page, "Reset", "Enter");
  await page.getByRole("dialog").waitFor();
  await use(page, "Cancel", "Enter");
  await expect.poll(() => page.getByRole("dialog").count(), patient).toBe(0);
  expect(await focused(page)).toBe("Reset");
  await page.keyboard.press("Space");
  await expect.poll(() => focused(page), patient).toBe("Cancel");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("No jobs yet.").waitFor();
  expect(await focused(page)).toBe("Reset");
});

test("changes accounts and their keys with the keyboard alone", async () => {
  const { page, mock, context, pageUrl } = await openPage();
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(pageUrl).origin });

  await write(page, "Credits left of account 1", "42");
  await page.keyboard.press("Enter");
  await reads(page, "credits-left", "42");
  await write(page, "Credits left of account 1", "43");
  await use(page, "Set credits of account 1", "Space");
  await reads(page, "credits-left", "43");
  await write(page, "Lifecycle of account 1", "soon");
  await page.keyboard.press("Enter");
  await use(page, "Dismiss", "Enter", "Shift+Tab");
  await expect.poll(() => page.getByRole("alert").count(), patient).toBe(0);
  await write(page, "Lifecycle of account 1", "instant");
  await use(page, "Set lifecycle of account 1", "Enter");
  await expect.poll(() => field(page, "Lifecycle of account 1").inputValue(), patient).toBe("instant");

  await use(page, "Create key of account 1", "Enter");
  await page.getByRole("button", { name: "Copy key_2" }).waitFor();
  await use(page, "Copy key_2", "Space", "Shift+Tab");
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied, patient).toMatch(/^ss_live_/);
  await use(page, "Revoke key_2", "Enter");
  await page.getByText("revoked").waitFor();
  expect(mock.credits.remaining).toBe(43);
});

test("arms and disarms faults with the keyboard alone", async () => {
  const { page } = await openPage();

  await write(page, "Status of the answer", "429");
  await write(page, "Retry-After in seconds", "3");
  await write(page, "Body of the answer", '"slow"');
  await use(page, "For operation", "g");
  await use(page, "When", "a");
  await write(page, "Times (empty: always)", "2");
  await write(page, "Skip", "1");
  await use(page, "Arm fault", "Space");
  await reads(page, "fault", /429.*"slow".*"retryAfter":3.*getJob, 2 times, after 1, after/);
  await use(page, "Fault", "l", "Shift+Tab");
  await write(page, "Milliseconds", "20");
  await page.keyboard.press("Enter");
  await page.getByTestId("fault").nth(1).waitFor();

  await use(page, "Disarm fault_1", "Enter");
  await use(page, "Disarm fault_2", "Space");

  await page.getByText("No fault is armed.").waitFor();
});

test("filters requests, holds them still and opens them with the keyboard alone", async () => {
  const { page, createJob } = await openPage();
  await createJob();
  await reads(page, "request-count", "2 of 2 requests");
  const isPaused = () => page.getByRole("button", { name: "Pause" }).getAttribute("aria-pressed");

  await use(page, "Requests", "Enter");
  await use(page, "Operation", "c");
  await reads(page, "request-count", "1 of 2 requests");
  await use(page, "Pause", "Space");
  await expect.poll(isPaused, patient).toBe("true");
  await page.keyboard.press("Enter");
  await expect.poll(isPaused, patient).toBe("false");
  await use(page, "Body of request 1", "Enter");
  await page.getByTestId("body").getByText("iosUrl").waitFor();
  await use(page, "Operation", "a", "Shift+Tab");
  await write(page, "Status", "4xx");
  await reads(page, "request-count", "0 of 2 requests");
  await write(page, "Status", "2xx");
  await write(page, "Search requests", "iphone");
  await reads(page, "request-count", "1 of 2 requests");
});

test("shows older jobs and requests with the keyboard alone", async () => {
  const { page, createApp, createSet } = await openPage({ allowance: 9_999, lifecycle: "manual" });
  const appId = await createApp();
  for (let count = 0; count < 101; count++) await createSet(appId);
  await reads(page, "job-count", "100 of 101 jobs");
  await reads(page, "request-count", "102 of 102 requests");
  const rows = page.getByTestId("request");

  await use(page, "Requests", "Enter");
  await use(page, "Older jobs", "Enter", "Shift+Tab");
  await reads(page, "job-count", "101 jobs");
  await use(page, "Accounts", "Enter", "Shift+Tab");
  await use(page, "Older requests", "Enter", "Shift+Tab");
  await expect.poll(() => rows.count(), patient).toBe(2);
  await use(page, "Newer requests", "Space", "Shift+Tab");

  await expect.poll(() => rows.count(), patient).toBe(100);
});
