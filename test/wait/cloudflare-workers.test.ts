import { AsyncLocalStorage } from "node:async_hooks";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A client in a runtime that drops the timers and the answers of a request that has ended. */
function perRequest() {
  const mock = createMock();
  const { fetch, clock, ...options } = mock.clientOptions;
  const request = new AsyncLocalStorage<"ended" | "under way">();
  const unlessEnded = <Value>(value: () => Promise<Value>) =>
    request.getStore() === "ended" ? new Promise<Value>(() => {}) : value();
  const client = new ScreenshotSets({
    ...options,
    fetch: (...sent) => unlessEnded(() => fetch(...sent)),
    clock: { now: clock.now, sleep: (...asked) => unlessEnded(() => clock.sleep(...asked)) },
  });
  return { mock, client, request };
}

test("on Cloudflare Workers a wait of one request rests on none of another", async () => {
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  const { mock, client, request } = perRequest();
  const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const create = () => client.screenshots.create({ appId: app.appId, device: "iphone-69" });
  const [{ jobId }, other] = [await create(), await create()];
  request.run("ended", () => void client.waitForJob(jobId));
  const jobs = await Promise.all(
    [jobId, other.jobId].map((id) => request.run("under way", () => client.waitForJob(id))),
  );
  expect(jobs.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  expect(mock.requests({ operation: "getJob" })).toHaveLength(6);
});
