import { ScreenshotSets } from "screenshot-sets";
import { runBatch } from "screenshot-sets/batch";
import { type SetState, stepSet } from "screenshot-sets/durable";
import { expect, onTestFinished, test, vi } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { SetScene } from "../helpers/set-scene.js";

/** A set whose client's lines of level `error` and `warn` are kept. */
async function sceneWithLog() {
  const set = await SetScene.of();
  const lines: unknown[][] = [];
  const to = (level: string) => (message: string, fields: unknown) =>
    void lines.push([level, message, fields]);
  const logger = { debug() {}, info() {}, warn: to("warn"), error: to("error") };
  return { set, lines, logger };
}

/** The same on the system's clock, with fake timers. */
async function sceneInTime() {
  const { set, lines, logger } = await sceneWithLog();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { clock: _, ...options } = set.mock.clientOptions;
  return { set, lines, client: new ScreenshotSets({ ...options, logger }) };
}

/** The set's store, whose saves of an acceptance wait for `until` first. */
const storeAfter = (set: SetScene, until: Promise<unknown>) =>
  set.storeThrough(async (next, stores) => {
    if (next?.step === "accepted") await until;
    return stores();
  });

/** A promise that a test ends. */
function pending() {
  let end = (_?: Error) => {};
  const promise = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  return { promise, end };
}

const paid = { key: "order-7", jobId: "job_1" };

test("a paid job whose id cannot be stored is logged once with its id, the key and the reason", async () => {
  const { set, lines, logger } = await sceneWithLog();
  const full = new Error("disk full");
  const client = set.client.withOptions({ logger });
  const store = storeAfter(set, Promise.reject(full));
  const thrown = await rejection(set.step({ client, store }));
  expect(thrown.message).toContain("job_1");
  expect(lines).toEqual([["error", "The id of a paid job may not be stored", { ...paid, error: full }]]);
});

test("the id of a paid job that is not stored within five seconds is logged, and so is that it was stored after all", async () => {
  const { set, lines, client } = await sceneInTime();
  const { promise, end } = pending();
  const step = set.step({ client, store: storeAfter(set, promise) });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(lines).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(lines).toEqual([["error", "The id of a paid job has not been stored for 5 s", paid]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toHaveLength(1);
  end();
  expect(await step).toMatchObject({ status: "waiting", jobId: "job_1" });
  expect(lines.slice(1)).toEqual([["warn", "The id of a paid job was stored after all", paid]]);
});

test("an id that was told is not told again when it cannot be stored in the end", async () => {
  const { set, lines, client } = await sceneInTime();
  const { promise, end } = pending();
  const step = rejection(set.step({ client, store: storeAfter(set, promise) }));
  await vi.advanceTimersByTimeAsync(5_000);
  end(new Error("disk full"));
  expect(await step).toMatchObject({ charged: "yes", jobId: "job_1" });
  expect(lines).toHaveLength(1);
});

test("an acceptance that is stored in time leaves no timer behind, and no line", async () => {
  const { set, lines, client } = await sceneInTime();
  await set.step({ client });
  expect([vi.getTimerCount(), lines]).toEqual([0, []]);
});

test("the virtual time of a mock does not pass while an acceptance is stored", async () => {
  const { set, lines, logger } = await sceneWithLog();
  const client = set.client.withOptions({ logger });
  const startedAt = set.mock.clock.now();
  const soon = new Promise((resolve) => setTimeout(resolve, 100));
  await set.step({ client, store: storeAfter(set, soon) });
  expect([set.mock.clock.now() - startedAt, lines]).toEqual([0, []]);
});

test("where the caller carries the record, the id is told without a key", async () => {
  const { set, lines, logger } = await sceneWithLog();
  const save = (next: SetState | undefined) => {
    if (next?.step === "accepted") throw new Error("disk full");
  };
  await rejection(stepSet(set.client.withOptions({ logger }), { params: set.params }, save));
  expect(lines).toMatchObject([["error", expect.any(String), { jobId: "job_1" }]]);
  expect(lines[0]?.[2]).not.toHaveProperty("key");
});

test("a batch tells which of its sets has a paid job that cannot be stored", async () => {
  const { set, lines, logger } = await sceneWithLog();
  const { params } = set;
  const store = storeAfter(set, Promise.reject(new Error("disk full")));
  const batch = runBatch(set.client.withOptions({ logger }), { sets: { "us/iphone-69": params }, store });
  await collect(batch).catch(() => {});
  expect(lines).toMatchObject([["error", expect.any(String), { key: "us/iphone-69", jobId: "job_1" }]]);
});
