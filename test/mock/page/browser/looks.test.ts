import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { field, openPage, press, reads, test, unfold } from "./open-page.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong, and where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const found = await loaded.run();
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
    );
  });
}

const looks = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
] as const;

test.each(looks)(
  "has nothing that axe finds, nor scrolls sideways: $colorScheme, $width pixels",
  async (look) => {
    const { colorScheme, width } = look;
    const viewport = { width, height: 800 };
    const { page, mock, call, createApp, createSet, said } = await openPage(
      { allowance: 200 },
      { colorScheme, viewport },
    );
    const appId = await createApp();
    const long = {
      caption: "A caption of some length that has to be broken",
      ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`field${index}`, "x".repeat(90)])),
    };
    mock.nextJob({ outcome: "succeeded", lifecycle: "instant", slides: [long, long, "text"] });
    mock.nextJob({ outcome: "failed", lifecycle: "instant", error: { message: "w".repeat(3_000) } });
    for (const device of ["ipad-pro", "iphone-69", "android-tablet"]) await createSet(appId, { device });
    mock.account();
    mock.fault({ status: 503, body: "b".repeat(200) });
    mock.keys.revoke(mock.keys.create());
    await unfold(page, "job_1");
    await page.getByTestId("error").waitFor();
    await unfold(page, "job_2");
    await page.getByTestId("fault").waitFor();
    await call("/x", "t".repeat(5_000));
    await press(page, "Details of request 5");
    await page.getByTestId("answer").waitFor();
    await page.getByTestId("body").getByText("ttt").waitFor();
    await field(page, "Times (empty: always)").fill("x");
    await press(page, "Arm fault");
    await page.getByRole("alert").waitFor();
    expect(said.splice(0)).toEqual([expect.stringContaining("status of 400")]);

    expect(await violations(page)).toEqual([]);
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(scrollWidth).toBeLessThanOrEqual(width);
    await press(page, "Reset");
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
  },
);

test("has the requests on the first screen with forty jobs", async () => {
  const { page, mock, createApp, createSet } = await openPage(
    { allowance: 400, lifecycle: "instant" },
    { viewport: { width: 1280, height: 800 } },
  );
  expect(await violations(page)).toEqual([]);
  const appId = await createApp();
  mock.nextJob({ outcome: "failed", error: { message: "w".repeat(3_000) } });
  await Promise.all(Array.from({ length: 40 }, () => createSet(appId)));
  await reads(page, "job-count", "40 jobs");
  await reads(page, "request-count", "41 of 41 requests");

  const { y = 800, height = 0 } = (await page.getByTestId("request").nth(1).boundingBox()) ?? {};

  expect(y + height).toBeLessThan(800);
});
