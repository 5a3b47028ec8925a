import { mock as runner } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { job } from "../helpers/wait-scene.js";

// Waiting on the fake timers of `node:test`, which fake `setTimeout` and `Date`, but not `performance.now`.

beforeEach(() => runner.timers.enable());
afterEach(() => runner.timers.reset());

/** Ticks in steps of so many milliseconds until `promise` is settled. Returns the ticked time. */
async function tickUntil(promise: Promise<unknown>, stepMs: number): Promise<number> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let ms = 0; ; ms += stepMs) {
    for (let turns = 0; turns < 10 && !isSettled; turns++) await turn();
    if (isSettled) return ms;
    runner.timers.tick(stepMs);
  }
}

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
