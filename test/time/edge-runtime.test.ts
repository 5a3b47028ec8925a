import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { loadOwnModules } from "../helpers/own-modules.js";

test("calls and waits in the edge runtime of Next.js, where what is Node's throws", async () => {
  vi.stubGlobal("EdgeRuntime", "edge-runtime");
  const unsupported = () => {
    throw new Error("A Node.js API is used which is not supported in the Edge Runtime.");
  };
  vi.stubGlobal("setImmediate", unsupported);
  const builtins = vi.spyOn(process, "getBuiltinModule").mockImplementation(unsupported);
  loadOwnModules();
  const { ScreenshotSets } = await import("screenshot-sets");
  builtins.mockRestore();
  vi.unstubAllGlobals();
  const mock = createMock();
  const { now, sleep } = mock.clock;
  const client = new ScreenshotSets({ ...mock.clientOptions, clock: { now, sleep } });
  const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const job = await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });
  expect(job.status).toBe("succeeded");
});
