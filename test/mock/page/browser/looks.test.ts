import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { asking } from "../../ask.js";
import { openPage, test } from "./open-page.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

/** What axe finds wrong, and where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: Axe }).axe.run();
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

test.each([
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
] as const)(
  "has nothing that axe finds, nor scrolls sideways: $colorScheme, $width pixels",
  async ({ colorScheme, width }) => {
    const { page, field, press, unfold, mock, call, createApp, createSet, said } = await openPage(
      { lifecycle: "instant" },
      { colorScheme, viewport: { width, height: 800 } },
    );
    const appId = await createApp();
    const fields = Array.from({ length: 12 }, (_, index) => [`field${index}`, "x".repeat(90)]);
    const long = { caption: "A caption of some length that has to be broken", ...Object.fromEntries(fields) };
    mock.nextJob({ outcome: "succeeded", slides: [long, long, "text"] });
    mock.nextJob({ outcome: "failed", error: { message: "w".repeat(3_000) } });
    mock.nextJob({ outcome: "succeeded", lifecycle: "manual" });
    for (const device of ["ipad-pro", "iphone-69", "android-tablet"]) await createSet(appId, { device });
    mock.account();
    mock.fault({ status: 503, body: "b".repeat(200) });
    mock.keys.revoke(mock.keys.create());
    await unfold("job_1");
    await unfold("job_2", "Error");
    await page.getByTestId("fault").waitFor();
    await call("/x", "t".repeat(5_000));
    await press("Details of request 5");
    await page.getByTestId("body").getByText("ttt").waitFor();
    await field("Times (empty: always)").fill("x");
    await press("Arm fault");
    await page.getByRole("alert").waitFor();
    expect(said.splice(0)).toEqual([expect.stringContaining("status of 400")]);

    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await press("Reset");
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
  },
);

test.each([1280, 1024, 961, 641, 390])("a jump to a section shows its heading: %i pixels", async (width) => {
  const { page, call } = await openPage({}, { viewport: { width, height: 800 } });
  await Promise.all(Array.from({ length: 60 }, () => call("/x")));
  await page.getByTestId("request").nth(59).waitFor();

  for (const name of ["Accounts", "Faults", "Requests", "Ledger", "Jobs"]) {
    await page.getByRole("link", { name, exact: true }).click();
    const heading = page.getByRole("heading", { level: 2, name: new RegExp(`^${name}`) });
    const isInSight = () =>
      heading.evaluate((element) => {
        const { left, top, bottom } = element.getBoundingClientRect();
        return bottom <= innerHeight && document.elementFromPoint(left + 5, top + 1) === element;
      });
    await expect.poll(isInSight).toBe(true);
    await page.getByRole("link", { name: "Jobs", exact: true }).evaluate(() => scrollTo(0, 0));
  }
});

test.each([1280, 1024, 961])("has jobs in columns: %i pixels", async (width) => {
  const { page, mock, createApp, createSet } = await openPage(
    { lifecycle: "manual", idPrefix: "nightly-run-7_" },
    { viewport: { width, height: 800 } },
  );
  const second = asking(mock.account());
  const appId = await createApp();
  for (const device of ["ipad-pro", "android-tablet"]) await createSet(appId, { device });
  await second.createJob({ count: 10 });
  mock.jobs.succeed("nightly-run-7_job_1");
  mock.jobs.fail("nightly-run-7_job_2", { message: "w".repeat(300) });
  await page.getByTestId("error").waitFor();

  for (const part of [
    ...["status", "polls", "age"].map((id) => page.getByTestId(id)),
    page.getByText(/^account \d$/),
  ]) {
    const boxes = await Promise.all((await part.all()).map((one) => one.boundingBox()));
    expect(new Set(boxes.map((box) => Math.round(box?.x ?? 0))).size).toBe(1);
    expect(boxes).toHaveLength(3);
  }
  const [age, button] = [page.getByTestId("age").first(), page.getByText("Advance")];
  const [fact, action] = [await age.boundingBox(), await button.first().boundingBox()];
  const isBelow = (fact?.y ?? 0) > (action?.y ?? 0) + 15;
  expect(isBelow || (fact?.x ?? 0) + (fact?.width ?? 0) <= (action?.x ?? 0)).toBe(true);
});

test("keeps the buttons of a first job off its facts", async () => {
  const { page, createJob } = await openPage(
    { lifecycle: "manual", idPrefix: "8878e8-" },
    { viewport: { width: 1280, height: 800 } },
  );
  await createJob();
  const [cost, button] = [page.getByText("10 credits"), page.getByText("Advance", { exact: true })];
  await cost.waitFor();
  const [fact, action] = [await cost.boundingBox(), await button.boundingBox()];

  expect((fact?.x ?? 0) + (fact?.width ?? 0)).toBeLessThanOrEqual(action?.x ?? 0);
});

test("has the accounts before the requests on a phone, and marks what is open", async () => {
  const { page, press, button, unfold, createJob } = await openPage(
    { lifecycle: "instant" },
    { viewport: { width: 390, height: 800 } },
  );
  await createJob();
  const [account, request] = [page.getByRole("group").first(), page.getByTestId("request").first()];
  await request.waitFor();
  const mark = (name: string) => button(name).evaluate((one) => getComputedStyle(one, "::before").content);
  const edge = (part: Locator) => part.evaluate((one) => getComputedStyle(one).boxShadow);

  expect((await account.boundingBox())?.y).toBeLessThan((await request.boundingBox())?.y ?? 0);
  expect([await mark("Slides of job_1"), await mark("Details of request 1")]).toEqual(['"▸ "', '"▸ "']);
  expect([await edge(page.getByRole("article")), await edge(request)]).toEqual(["none", "none"]);
  await unfold("job_1");
  await press("Details of request 2");
  expect([await mark("Slides of job_1"), await mark("Details of request 2")]).toEqual(['"▾ "', '"▾ "']);
  for (const part of [page.getByRole("article"), request]) expect(await edge(part)).toContain("inset");
});

test("has the requests on the first screen with forty jobs", async () => {
  const { page, reads, mock, createApp, createSet } = await openPage(
    { allowance: 400, lifecycle: "instant" },
    { viewport: { width: 1280, height: 800 } },
  );
  expect(await violations(page)).toEqual([]);
  const appId = await createApp();
  mock.nextJob({ outcome: "failed", error: { message: "w".repeat(3_000) } });
  await Promise.all(Array.from({ length: 40 }, () => createSet(appId)));
  await reads("job-count", "40 jobs");
  await reads("request-count", "41 of 41 requests");

  const { y = 800, height = 0 } = (await page.getByTestId("request").nth(1).boundingBox()) ?? {};

  expect(y + height).toBeLessThan(800);
});
