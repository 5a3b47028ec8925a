import { expect, test } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { accept, lastLine, leastFlags, run, serve } from "./run.js";

test("plans a set for a listing, and prints it as JSON", async () => {
  const { environment } = await serve();
  const { code, stdout, stderr } = await run(["create", ...leastFlags, "--json"], environment);
  expect(stderr).toContain("Job job_1 was accepted: 10 credits were charged, 90 are left\n");
  expect(code).toBe(0);
  const { app, id, status, result, credits } = JSON.parse(stdout);
  expect(app).toMatchObject({ appId: "app_1", name: expect.any(String) });
  expect({ id, status, credits }).toEqual({
    id: "job_1",
    status: "succeeded",
    credits: documentedCredits(10, 90),
  });
  expect(result.device).toBe("iphone-69");
  expect(result.slides).toHaveLength(5);
});

test("sends each option as its field of the service", async () => {
  const { mock, environment } = await serve();
  const app = ["--ios-url", "https://i.test", "--android-url", "https://a.test", "--context", "Calm colours"];
  const set = ["--device=ipad-pro", "--count=3", "--caption-style=plain", "--caption-length=long"];
  const { code } = await run(["create", ...app, ...set, "--narrative", "a-day"], environment);
  expect(code).toBe(0);
  expect(mock.requests({ operation: "createApp" }).map(({ body }) => body)).toEqual([
    { iosUrl: "https://i.test", androidUrl: "https://a.test", extraContext: "Calm colours" },
  ]);
  expect(mock.requests({ operation: "createScreenshots" }).map(({ body }) => body)).toEqual([
    {
      appId: "app_1",
      device: "ipad-pro",
      count: 3,
      captionStyle: "plain",
      captionLength: "long",
      narrativeId: "a-day",
    },
  ]);
});

test("uses an existing app", async () => {
  const { mock, environment } = await serve();
  await accept(mock);
  const again = ["create", "--app-id", "app_1", "--device", "iphone-65"];
  const json = await run([...again, "--json"], environment);
  expect(json.code).toBe(0);
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
