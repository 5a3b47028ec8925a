import { createMock } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadOwnModules } from "../helpers/own-modules.js";

test("calls and waits in the edge runtime of Next.js, where what is Node's throws", async () => {
  vi.stubGlobal("EdgeRuntime", "edge-runtime");
  onTestFinished(() => void vi.unstubAllGlobals());
  const unsupported = () => {
    throw new Error("A Node.js API is used which is not supported in the Edge Runtime.");
  };
  vi.stubGlobal("setImmediate", unsupported);
  const builtins = vi.spyOn(process, "getBuiltinModule").mockImplementation(unsupported);
  loadOwnModules();
  const { ScreenshotSets } = await import("screenshot-sets");
  builtins.mockRestore();
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
