import { expect, test } from "vitest";
import { lastLine, leastFlags, run, serve } from "./run.js";

test("sends each option as its field of the service, and prints the set with its app as JSON", async () => {
  const { mock, environment } = await serve();
  const app = ["--ios-url", "https://i.test", "--android-url", "https://a.test", "--context", "Calm colours"];
  const set = ["--device=ipad-pro", "--count=3", "--caption-style=plain", "--caption-length=long"];
  const args = ["create", ...app, ...set, "--narrative", "a-day", "--json"];
  const { code, stdout, stderr } = await run(args, environment);
  expect(code).toBe(0);
  expect(mock.requests({ operation: "createApp" }).map(({ body }) => body)).toEqual([
    { iosUrl: "https://i.test", androidUrl: "https://a.test", extraContext: "Calm colours" },
  ]);
  const options = { captionStyle: "plain", captionLength: "long", narrativeId: "a-day" };
  expect(mock.requests({ operation: "createScreenshots" }).map(({ body }) => body)).toEqual([
    { appId: "app_1", device: "ipad-pro", count: 3, ...options },
  ]);
  expect(stderr).toContain("Job job_1 was accepted: 10 credits were charged, 90 are left\n");
  expect(JSON.parse(stdout)).toMatchObject({
    id: "job_1",
    status: "succeeded",
    credits: { cost: 10, remaining: 90 },
    // With a narrative, the mock ignores the count, as the service does.
    result: { device: "ipad-pro", slides: expect.objectContaining({ length: 5 }) },
    app: { appId: "app_1", name: "Mock app_1" },
  });
});

test("uses an existing app", async () => {
  const { mock, environment } = await serve();
  await run(["create", ...leastFlags, "--no-wait"], environment);
  const again = ["create", "--app-id", "app_1", "--device", "iphone-65"];
  const json = await run([...again, "--json"], environment);
  expect(JSON.parse(json.stdout)).not.toHaveProperty("app");
  const text = await run(again, environment);
  expect(text.stdout).toMatch(/^Job job_3: 5 slides for iphone-65\n/);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(1);
});

test("--mock runs on the embedded mock, and sends nothing to the service", async () => {
  const { mock, environment } = await serve();
  const args = ["create", "--mock", ...leastFlags, "--count", "10"];
  const { code, stdout, stderr } = await run(args, environment);
  expect(code).toBe(0);
  expect(mock.requests()).toEqual([]);
  const slides = Array.from({ length: 10 }, (_, index) => {
    const margin = index < 9 ? "   " : "    ";
    return `${index + 1}. index: ${index}\n${margin}caption: Slide ${index + 1} of 10\n`;
  });
  expect(stdout).toBe(
    `Mock app_1: 10 slides for iphone-69\n\n${slides.join("")}\n10 credits were charged, 90 are left.\n`,
  );
  expect(lastLine(stderr)).toMatch(/^Job job_1 has succeeded \(\d+ s, 3 polls\)$/);
});
