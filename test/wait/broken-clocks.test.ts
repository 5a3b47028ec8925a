import { ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";

const failure = new Error("The clock stopped");

const brokenSleeps: [what: string, sleep: () => Promise<void>, cause: unknown][] = [
  ["returns at once", () => Promise.resolve(), undefined],
  ["always rejects", () => Promise.reject(failure), failure],
  [
    "throws",
    () => {
      throw failure;
    },
    failure,
  ],
  ["gives no promise", () => undefined as never, undefined],
];

const times: [what: string, now: () => number][] = [
  ["stands still", () => 0],
  ["goes on", () => performance.now()],
];

describe.each(brokenSleeps)("on a clock whose sleep %s", (_, sleep, cause) => {
  test.each(times)("and whose time %s, a wait ends in a ConfigurationError", async (__, now) => {
    const { apiKey, baseUrl, fetch } = createMock({ lifecycle: "manual" }).clientOptions;
    const client = new ScreenshotSets({ apiKey, baseUrl, fetch, clock: { now, sleep } });
    const error = await rejection(client.waitForJob("job_1"));
    expect(error.constructor).toBe(ConfigurationError);
    expect(error.message).toContain("`clock.sleep`");
    expect(error.cause).toBe(cause);
  });

  test.each(times)("and whose time %s, a create says that it may have been charged", async (__, now) => {
    const fetch = () => new Promise<Response>(() => {});
    const baseUrl = "https://example.com/api/v1";
    const client = new ScreenshotSets({ apiKey: "key", baseUrl, fetch, clock: { now, sleep } });
    const error = await rejection(client.screenshots.create({ appId: "app_1", device: "iphone-69" }));
    expect(error).toMatchObject({ name: "ConfigurationError", charged: "maybe" });
    expect(error.cause).toBe(cause);
  });

  test("a call whose key is still to come fails, and was not charged", async () => {
    const [apiKey, baseUrl] = [() => new Promise<string>(() => {}), "https://example.com/api/v1"];
    const client = new ScreenshotSets({ apiKey, baseUrl, clock: { now: () => 0, sleep } });
    const error = await rejection(client.jobs.get("job-1"));
    expect(error).toMatchObject({ name: "ConfigurationError", charged: "no", jobId: "job-1" });
    expect(error.cause).toBe(cause);
  });

  test("a wait for a job that was accepted keeps its id", async () => {
    const { mock, client, set } = await accepting({ sleep: (ms) => (ms < 1000 ? sleep() : never()) });
    const error = await rejection(client.screenshots.createAndWait(set));
    expect(error).toMatchObject({ name: "ConfigurationError", charged: "yes", jobId: "job_1" });
    expect(error.cause).toBe(cause);
    expect(mock.credits.used).toBe(10);
  });

  test("a call that is to be sent again fails instead", async () => {
    const { mock, client, set } = await accepting({ sleep: (ms) => (ms < 1000 ? sleep() : never()) });
    mock.fault({ status: 429 }, { times: 5 });
    const error = await rejection(client.screenshots.create(set));
    expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
    expect(error.cause).toBe(cause);
    expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(1);
  });
});

const never = () => new Promise<void>(() => {});

/** A client on a clock of its own whose time stands still, and an app to plan a set for. */
async function accepting({ sleep }: { sleep: (ms: number) => Promise<void> }) {
  const mock = createMock();
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const client = new ScreenshotSets({ apiKey, baseUrl, fetch, clock: { now: () => 0, sleep } });
  const { appId } = await client.apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1234567890",
  });
  return { mock, client, set: { appId, device: "iphone-69" as const } };
}
