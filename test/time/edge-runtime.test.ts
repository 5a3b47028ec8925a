import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";

test("calls and waits in the edge runtime of Next.js, whose setImmediate throws", async () => {
  vi.stubGlobal("EdgeRuntime", "edge-runtime");
  vi.stubGlobal("setImmediate", () => {
    throw new Error("A Node.js API is used (setImmediate) which is not supported in the Edge Runtime.");
  });
  vi.resetModules();
  const { ScreenshotSets } = await import("screenshot-sets");
  vi.unstubAllGlobals();
  const mock = createMock();
  const { now, sleep } = mock.clock;
  const client = new ScreenshotSets({ ...mock.clientOptions, clock: { now, sleep } });
  const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const job = await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });
  expect(job.status).toBe("succeeded");
});
