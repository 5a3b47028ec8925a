import { mock as runner } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { setupServer } from "msw/node";
import { ScreenshotSets } from "screenshot-sets";
import { createMock, type Mock } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { job } from "../helpers/wait-scene.js";

// Waiting on the fake timers of `node:test`, which fake `setTimeout` and `Date`, but not `performance.now`.

beforeEach(() => runner.timers.enable());
afterEach(() => runner.timers.reset());

/** Ticks in steps of so many milliseconds until `promise` is settled. Returns the ticked time. */
async function tickUntil(
  promise: Promise<unknown>,
  stepMs: number,
  onTick: (tickedMs: number) => unknown = () => {},
): Promise<number> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let ms = 0; ; ms += stepMs) {
    // Enough for an answer that comes over a socket.
    for (let turns = 0; turns < 50 && !isSettled; turns++) await turn();
    if (isSettled) return ms;
    runner.timers.tick(stepMs);
    onTick(ms + stepMs);
  }
}

const carriers: [name: string, carry: (mock: Mock) => Promise<{ url: string; close: () => unknown }>][] = [
  [
    "through msw",
    async (mock) => {
      const server = setupServer(...handlers(mock));
      server.listen(listenOptions);
      return { url: mock.clientOptions.baseUrl, close: () => server.close() };
    },
  ],
  ["over HTTP", (mock) => mock.listen()],
];

test.each(carriers)("a wait goes on with the ticks %s", async (_, carry) => {
  const mock = createMock({ lifecycle: "manual" });
  const { url, close } = await carry(mock);
  const client = new ScreenshotSets({ apiKey: mock.clientOptions.apiKey, baseUrl: url });
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });

  const set = client.screenshots.createAndWait({ appId, device: "iphone-69" });
  // The mock's own time does not pass with ticks that leave `performance.now` alone, so its job is ended by hand.
  const tickedMs = await tickUntil(set, 100, (ms) => ms === 30_000 && mock.jobs.succeed("job_1"));
  await close();

  expect(await set).toMatchObject({ status: "succeeded" });
  expect(tickedMs).toBeGreaterThanOrEqual(30_000);
  expect(tickedMs).toBeLessThan(40_000);
});

test("the deadline of a wait comes with the ticks", async () => {
  const client = new ScreenshotSets({
    apiKey: "key",
    baseUrl: "https://service.test/api/v1",
    fetch: async () => Response.json(job("job-1", "running")),
  });

  const wait = rejection(client.waitForJob("job-1", { timeoutMs: 600_000 }));
  await tickUntil(wait, 1000);

  expect(await wait).toMatchObject({ name: "JobTimeoutError" });
});

test("an attempt times out, and a request is sent again, with the ticks", async () => {
  let sent = 0;
  const client = new ScreenshotSets({
    apiKey: "key",
    baseUrl: "https://service.test/api/v1",
    fetch: () =>
      ++sent < 3 ? new Promise(() => {}) : Promise.resolve(Response.json(job("job-1", "running"))),
  });

  const found = client.jobs.get("job-1", { timeoutMs: 10_000 });
  const tickedMs = await tickUntil(found, 100);

  expect(await found).toMatchObject({ status: "running" });
  expect(tickedMs).toBeGreaterThan(20_000);
  expect(tickedMs).toBeLessThan(25_000);
});
