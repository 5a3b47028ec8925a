/** Takes the picture of the mock's page for the docs, from the built command. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "playwright-core";

const command = spawn(process.execPath, ["dist/cli/main.js", "mock", "--port", "0", "--allowance", "200"], {
  stdio: ["ignore", "pipe", "pipe"],
});
let printed = "";
for (const stream of [command.stdout, command.stderr]) {
  stream.on("data", (chunk) => {
    printed += chunk;
  });
}
while (!/is running/.test(printed) || !/API_KEY=.+\n/.test(printed)) await once(command.stderr, "data");
const [, url = ""] = /BASE_URL=(.+)/.exec(printed) ?? [];
const [, apiKey = ""] = /API_KEY=(.+)/.exec(printed) ?? [];
const pageUrl = new URL("/", url).href;

async function ask(address: string, body?: object) {
  const response = await fetch(address, {
    method: body ? "POST" : "GET",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.status === 204 ? undefined : response.json();
}
const service = (path: string, body?: object) => ask(`${url}/public/v1/${path}`, body);
const control = (path: string, body: object = {}) => ask(`${pageUrl}_mock/${path}`, body);

/** Creates a job that follows the plan, and polls it this many times. */
async function createJob(
  device: string,
  plan: { slides?: object[]; [name: string]: unknown },
  polls: number,
) {
  await control("accounts/1/next-job", { outcome: "succeeded", ...plan });
  const { jobId } = await service("screenshots", { appId: "app_1", device, count: plan.slides?.length ?? 2 });
  for (let poll = 0; poll < polls; poll++) await service(`jobs/${jobId}`);
  return jobId;
}

const captions = [
  "Plan your week in seconds",
  "Never miss a deadline",
  "Share it with your team",
  "Works offline",
];
const layouts = ["hero", "device left", "device right", "full bleed"];

await service("apps", { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
await createJob("ipad-pro", { lifecycle: "instant" }, 1);
const slides = captions.map((caption, index) => ({ caption, layout: layouts[index], background: "#4f46e5" }));
await createJob("iphone-69", { slides, lifecycle: "instant" }, 1);
const error = { code: "listing_unreadable", message: "No screenshots were found" };
await createJob("android-phone", { outcome: "failed", error, lifecycle: "instant" }, 1);
await control(`jobs/${await createJob("iphone-65", { lifecycle: "manual" }, 2)}/advance`);
await service("jobs/job_99");
await control("faults", { fault: { status: 503, retryAfter: 2 }, operation: "getJob", times: 3, skip: 1 });

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1180, height: 860 } });
await page.goto(pageUrl);
await page.getByRole("button", { name: "Slides of job_2", exact: true }).click();
await page.getByRole("button", { name: "Details of request 9" }).click();
await page.getByTestId("answer").waitFor();
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: "docs/mock-page-light.png" });
await browser.close();
command.kill();
