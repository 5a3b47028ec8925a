import { type Logger, type ResponseInfo, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const listing = { iosUrl: "https://apps.apple.com/us/app/x/id1" };
const params = { appId: "app_1", device: "iphone-69" } as const;

test("is told of each answer, those of polls and of attempts before another included, and of nothing else", async () => {
  const mock = createMock();
  mock.fault({ status: 429, headers: { "x-request-id": "req_1" } }, { operation: "createScreenshots" });
  mock.fault({ latencyMs: 40 }, { operation: "createApp" });
  mock.fault("reset", { operation: "getJob" });
  const seen: ResponseInfo[] = [];
  const own: ResponseInfo[] = [];
  const client = new ScreenshotSets({ ...mock.clientOptions, onResponse: (info) => seen.push(info) });
  await client.apps.create(listing, { onResponse: (info) => own.push(info) });
  await client.screenshots.createAndWait(params);
  const posted = { operation: "createScreenshots", method: "POST", path: "/public/v1/screenshots" };
  const polled = { operation: "getJob", method: "GET", path: "/public/v1/jobs/job_1" };
  expect(seen).toMatchObject([
    { operation: "createApp", method: "POST", path: "/public/v1/apps", status: 200, attempt: 1 },
    { ...posted, status: 429, attempt: 1 },
    { ...posted, status: 201, attempt: 2 },
    ...Array(3).fill({ ...polled, status: 200, attempt: 1 }),
  ]);
  expect(seen.map(({ requestId }) => requestId).filter(Boolean)).toEqual(["req_1"]);
  expect(seen.map(({ durationMs }) => durationMs)).toEqual([40, 0, 0, 0, 0, 0]);
  expect(seen[0]?.headers.get("content-type")).toMatch(/json/);
  // That of a call hears of that call alone, beside the client's.
  expect(own).toEqual(seen.slice(0, 1));
});

test("each of several waits for a job hears of its own polls", async () => {
  const mock = createMock({ lifecycle: "manual" });
  const client = new ScreenshotSets(mock.clientOptions);
  await client.apps.create(listing);
  const { jobId } = await client.screenshots.create(params);
  const [ofFirst, ofSecond] = [vi.fn(), vi.fn()];
  const wait = (timeoutMs: number, onResponse: () => void) =>
    rejection(client.waitForJob(jobId, { timeoutMs, onResponse }));
  const [first, second] = await Promise.all([wait(2_000, ofFirst), wait(20_000, ofSecond)]);
  expect(ofFirst).toHaveBeenCalledTimes(first.polls);
  expect(ofSecond).toHaveBeenCalledTimes(second.polls);
  expect(first.polls).toBeLessThan(second.polls);
  expect(mock.requests({ operation: "getJob" })).toHaveLength(first.polls + second.polls);
});

test("what it throws, or rejects with, is logged and ignored, and what it does to the headers too", async () => {
  const mock = createMock();
  const other = new ScreenshotSets(mock.clientOptions);
  await other.apps.create(listing);
  const { jobId } = await other.screenshots.create(params);
  mock.fault({ status: 503, retryAfter: 7 }, { operation: "getJob" });
  const lines: unknown[] = [];
  const logger: Logger = { debug() {}, info() {}, warn() {}, error: (...line) => lines.push(line) };
  const thrown = new Error(`about ${mock.clientOptions.apiKey}`);
  const client = new ScreenshotSets({
    ...mock.clientOptions,
    logger,
    onResponse({ headers }) {
      headers.delete("retry-after");
      throw thrown;
    },
  });
  await client.jobs.get(jobId, { onResponse: () => Promise.reject(thrown) });
  expect(mock.clock.now() - Date.parse("2026-01-01T00:00:00Z")).toBe(7_000);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatchObject([
    "onResponse threw",
    { operation: "getJob", jobId, error: { message: "about ***" } },
  ]);
  lines.length = 0;
  expect(await client.waitForJob(jobId)).toHaveProperty("result");
  expect(lines).toContainEqual(["onResponse threw", expect.objectContaining({ jobId })]);
});
