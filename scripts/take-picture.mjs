/** Takes the picture of the mock's page for the docs, from the built package. It is published, so it has to be small. */
import { writeFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

const mock = createMock({ allowance: 200 });
const client = new ScreenshotSets(mock.clientOptions);
const listener = await mock.listen({ page: true, port: 4010 });

/** Creates a job that follows the plan, and polls it this many times. */
async function createJob(device, plan, polls) {
  const { slides = [{}, {}] } = plan;
  mock.nextJob({ outcome: "succeeded", ...plan });
  await mock.clock.advance(20_000);
  const { jobId } = await client.screenshots.create({ appId: "app_1", device, count: slides.length });
  for (let poll = 0; poll < polls; poll++) await client.jobs.get(jobId);
  return jobId;
}

const captions = [
  "Plan your week in seconds",
  "Never miss a deadline",
  "Share it with your team",
  "Works offline",
];
const layouts = ["hero", "device left", "device right", "full bleed"];

await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
await createJob("ipad-pro", {}, 3);
const slides = captions.map((caption, index) => ({ caption, layout: layouts[index], background: "#4f46e5" }));
await createJob("iphone-69", { slides, lifecycle: "instant" }, 1);
const error = { code: "listing_unreadable", message: "No screenshots were found" };
await createJob("android-phone", { outcome: "failed", error, lifecycle: "instant" }, 1);
mock.jobs.advance(await createJob("iphone-65", { lifecycle: "manual" }, 2));
await client.jobs.get("job_99").catch(() => {});
await mock.clock.advance(12_000);
mock.fault({ status: 503, retryAfter: 2 }, { operation: "getJob", times: 3, skip: 1 });

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const window = { width: 1180, height: 700 };
const page = await browser.newPage({ viewport: window });
await page.goto(listener.pageUrl ?? "");
await page.getByRole("button", { name: "Slides of job_2", exact: true }).click();
await page.getByTestId("slide").first().waitFor();
// The picture outlives the version that it was taken of.
await page.getByText(/^version \d/).evaluate((element) => element.remove());
const session = await page.context().newCDPSession(page);
const { data } = await session.send("Page.captureScreenshot", {
  format: "webp",
  quality: 30,
  clip: { x: 0, y: 0, ...window, scale: 0.75 },
});
writeFileSync("docs/mock-page.webp", Buffer.from(data, "base64"));
await browser.close();
await listener.close();
