import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { field, openContext, openPage, serve, test } from "./open-page.js";

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

const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1280, 320].map((width) => ({ colorScheme, width })),
);

test.each(looks)(
  "has nothing that axe finds, nor scrolls sideways: $colorScheme, $width pixels",
  async (look) => {
    const { colorScheme, width } = look;
    const viewport = { width, height: 800 };
    const { page, mock, url, createApp, createSet, said } = await openPage(
      { allowance: 200 },
      { colorScheme, viewport },
    );
    expect(await violations(page)).toEqual([]);

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
    await page.getByRole("list", { name: "Slides of job_1" }).waitFor();
    await page.getByTestId("error").waitFor();
    await page.getByTestId("fault").waitFor();
    await fetch(`${url}/x`, {
      method: "POST",
      headers: { "x-api-key": mock.clientOptions.apiKey },
      body: "t".repeat(5_000),
    });
    await page.getByRole("button", { name: "Body of request 5" }).click();
    await page.getByTestId("body").getByText("ttt").waitFor();
    await field(page, "Times (empty: always)").fill("x");
    await page.getByRole("button", { name: "Arm fault", exact: true }).click();
    await page.getByRole("alert").waitFor();
    expect(said.splice(0)).toEqual([expect.stringContaining("status of 400")]);

    expect(await violations(page)).toEqual([]);
    const { scrollWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(width);
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
  },
);

test("says that it needs JavaScript where there is none", async () => {
  const { pageUrl } = await serve();
  const { context } = await openContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pageUrl);

  expect(await page.locator("body").innerText()).toContain("needs JavaScript");
});

test("weighs at most 25 kB over the wire", async () => {
  const { pageUrl } = await serve();
  let bytes = 0;
  for (const path of ["", "_mock/page.js", "_mock/style.css", "_mock/icon.svg"]) {
    const { headers } = await fetch(pageUrl + path, { headers: { "accept-encoding": "gzip" } });
    expect(headers.get("content-encoding")).toBe("gzip");
    bytes += Number(headers.get("content-length"));
  }

  expect(bytes).toBeLessThan(25_000);
});
