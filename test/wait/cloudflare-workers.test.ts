import { AsyncLocalStorage } from "node:async_hooks";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";

test("on Cloudflare Workers a wait of one request rests on none of another", async () => {
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  const mock = createMock();
  const { fetch, clock, ...options } = mock.clientOptions;
  const request = new AsyncLocalStorage<"ended" | "under way">();
  /** The runtime drops the timers and the answers of a request that has ended. */
  const unlessEnded = <Value>(value: () => Promise<Value>) =>
    request.getStore() === "ended" ? new Promise<Value>(() => {}) : value();
  const client = new ScreenshotSets({
    ...options,
    maxConcurrentPolls: 1,
    fetch: (...sent) => unlessEnded(() => fetch(...sent)),
    clock: { now: clock.now, sleep: (...asked) => unlessEnded(() => clock.sleep(...asked)) },
  });
  const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const create = () => client.screenshots.create({ appId: app.appId, device: "iphone-69" });
  const [{ jobId }, other] = [await create(), await create()];

  request.run("ended", () => void client.waitForJob(jobId));
  const waits = [jobId, other.jobId].map((id) => request.run("under way", () => client.waitForJob(id)));

  expect(await Promise.all(waits)).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
  expect(mock.requests({ operation: "getJob" })).toHaveLength(6);
});
