import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";

test("waits in the edge runtime of Next.js, whose setImmediate throws, also when timers are late", async () => {
  vi.stubGlobal("EdgeRuntime", "edge-runtime");
  vi.stubGlobal("setImmediate", () => {
    throw new Error("A Node.js API is used which is not supported in the Edge Runtime.");
  });
  // The process is busy, so that all timers are late.
  const now = performance.now.bind(performance);
  let lateMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    lateMs += 5;
    return now() + lateMs;
  });
  const { clock: _, ...options } = createMock({ lifecycle: "instant" }).clientOptions;
  const client = new ScreenshotSets(options);
  const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const job = await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });
  expect(job.status).toBe("succeeded");
});
