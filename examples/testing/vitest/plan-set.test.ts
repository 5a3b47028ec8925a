import { JobFailedError, PaymentRequiredError, ScreenshotSets, setCost } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { planSet } from "./plan-set.js";

const listing = "https://apps.apple.com/us/app/example/id1234567890";
const mock = createMock();
const client = new ScreenshotSets(mock.clientOptions);

beforeEach(() => mock.reset());
afterEach(() => void vi.useRealTimers());

test("plans three slides, for the price of one set", async () => {
  const slides = await planSet(client, listing);

  expect(slides).toHaveLength(3);
  expect(mock.credits.used).toBe(setCost);
});

test("takes no time under fake timers, and needs no ticking", async () => {
  vi.useFakeTimers();

  expect(await planSet(client, listing)).toHaveLength(3);
});

test("reports a failed job", async () => {
  mock.nextJob({ outcome: "failed", error: { reason: "The listing has no texts." } });

  await expect(planSet(client, listing)).rejects.toThrow(JobFailedError);
});

test("reports that the credits are used up", async () => {
  mock.credits.set(setCost - 1);

  await expect(planSet(client, listing)).rejects.toThrow(PaymentRequiredError);
});

test("does not pay twice when the answer to a create is lost", async () => {
  mock.fault("reset", { operation: "createScreenshots", when: "after", times: Infinity });

  await expect(planSet(client, listing)).rejects.toMatchObject({ charged: "maybe" });

  expect(mock.credits.used).toBe(setCost);
});

test("also runs over HTTP, for code that makes its own client", async () => {
  const { url, close } = await mock.listen();
  const { apiKey } = mock.clientOptions;

  expect(await planSet(new ScreenshotSets({ apiKey, baseUrl: url }), listing)).toHaveLength(3);

  await close();
});
