import { JobTimeoutError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client on the system's clock, and a function that creates a job that does not proceed. */
async function start() {
  const { apiKey, baseUrl, fetch } = createMock({ lifecycle: "manual" }).clientOptions;
  const client = new ScreenshotSets({ apiKey, baseUrl, fetch });
  const iosUrl = "https://apps.apple.com/us/app/example/id1234567890";
  const { appId } = await client.apps.create({ iosUrl });
  const createJob = async () => (await client.screenshots.create({ appId, device: "iphone-69" })).jobId;
  return { client, createJob };
}

// A test that fails leaves its waits behind, in a client that the next test may use too.
test.each([
  ["cleared", () => void vi.clearAllTimers()],
  ["installed again", () => void vi.useRealTimers().useFakeTimers()],
])(
  "a wait ends in time though an earlier one was left on fake timers that were then %s",
  async (_, discard) => {
    const { client, createJob } = await start();
    client.waitForJob(await createJob()).catch(() => {});
    await vi.advanceTimersByTimeAsync(50);
    discard();
    await vi.advanceTimersByTimeAsync(1000);

    let error: unknown;
    void rejection(client.waitForJob(await createJob(), { timeoutMs: 5000 })).then((reason) => {
      error = reason;
    });
    await vi.advanceTimersByTimeAsync(5000);

    expect(error).toBeInstanceOf(JobTimeoutError);
  },
);

test("a job that was created before fake timers were installed is polled like one of another client", async () => {
  const { client, createJob } = await start();
  await vi.advanceTimersByTimeAsync(3_600_000);
  const jobId = await createJob();
  vi.useRealTimers().useFakeTimers();

  const waiting = rejection(client.waitForJob(jobId, { maxDelayMs: 500, timeoutMs: 5000 }));
  await vi.advanceTimersByTimeAsync(5000);

  const { polls } = (await waiting) as JobTimeoutError;
  expect(polls).toBeGreaterThan(9);
});
