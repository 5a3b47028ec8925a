import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
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
    for (const jobId of ["job_1", "job_2"]) await unfold(jobId);
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
