import fc from "fast-check";
import { JobFailedError, PaymentRequiredError, ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { type Tomorrow, tomorrow, tomorrowsService } from "../helpers/tomorrows-service.js";

function clientOf(fetch: typeof globalThis.fetch, warnings: string[] = []) {
  const { apiKey, baseUrl, clock } = createMock().clientOptions;
  const logger = { debug() {}, info() {}, warn: (message: string) => warnings.push(message), error() {} };
  return new ScreenshotSets({ apiKey, baseUrl, clock, fetch, logger });
}

/** Plans a set; where it is for a new device, as an app does that cannot wait for a new version. */
async function planSet(client: ScreenshotSets, { device }: Tomorrow) {
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  if (device === undefined) return client.screenshots.createAndWait({ appId, device: "iphone-69" });
  const body = { appId, device, count: 12 };
  const accepted = await client.request("POST", "/public/v1/screenshots", { body: body as never });
  return client.waitForJob(accepted.jobId);
}

test("yesterday's client plans a set with tomorrow's service, and it ends as the service meant", async () => {
  await fc.assert(
    fc.asyncProperty(tomorrow, async (plan) => {
      const warnings: string[] = [];
      const { fetch, counted } = tomorrowsService(plan);
      const ended = await planSet(clientOf(fetch, warnings), plan).catch((error: unknown) => error);
      const isRefused = plan.fate === "is refused";
      expect(counted.charges).toBe(isRefused ? 0 : 1);
      if (isRefused) {
        expect(ended).toBeInstanceOf(PaymentRequiredError);
        expect(ended).toMatchObject({ charged: "no" });
      } else if (plan.fate.startsWith("fails")) {
        expect(ended).toBeInstanceOf(JobFailedError);
        expect(ended).toMatchObject({ jobId: "job-1", job: { error: plan.error } });
      } else {
        expect(ended).not.toBeInstanceOf(ScreenshotSetsError);
        expect(ended).toMatchObject({ id: "job-1", result: {} });
      }
      expect(
        warnings.filter((message) => message.startsWith("An answer differs")).length,
      ).toBeLessThanOrEqual(3);
    }),
    { numRuns: draws(1_000) },
  );
});

test("what differs is logged once for each operation of a client, and passed on as it came", async () => {
  const warnings: string[] = [];
  const body = { appId: "app-1", artworkUrl: null, rating: 4.5 };
  const client = clientOf(async () => Response.json(body), warnings);
  for (const _ of [1, 2]) {
    expect(await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" })).toEqual(body);
  }
  expect(warnings).toEqual(["An answer differs from the document, and was passed on as it came"]);
});
