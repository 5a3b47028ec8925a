import { getEventListeners } from "node:events";
import type { ScreenshotSets } from "screenshot-sets";
import { runBatch } from "screenshot-sets/batch";
import { expect, test, vi } from "vitest";
import { batchScene, creates, run, short, stepsIn, untilOver } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";

/** A scene whose batch is aborted a second after it began, and what must be true of each. */
async function abortedAfterASecond(
  prepare: (scene: Awaited<ReturnType<typeof batchScene>>) => ScreenshotSets | Promise<ScreenshotSets>,
  options: { maxCredits?: number; concurrency?: number } = {},
) {
  const scene = await batchScene(3);
  const { mock, sets, store } = scene;
  const client = await prepare(scene);
  const stop = new AbortController();
  const outcomes = collect(runBatch(client, { sets, store, signal: stop.signal, ...options }));
  await mock.clock.sleep(1_000);
  stop.abort();
  const [abortedAt, sent] = [mock.clock.now(), creates(mock)];
  const ends = short(await outcomes);
  return { ...scene, client, ends, endedAfterMs: mock.clock.now() - abortedAt, sent };
}

const skipped = { a: "skipped: aborted", b: "skipped: aborted", c: "skipped: aborted" };

test.each([{ maxCredits: 100 }, { concurrency: 3 }])(
  "an abort during the pause after a 429 ends it at once, and nothing is sent after it: %j",
  async (options) => {
    const { mock, client, ends, endedAfterMs, sent, sets, store } = await abortedAfterASecond(
      ({ mock, client }) => {
        mock.fault({ status: 429, retryAfter: 30 }, { operation: "createScreenshots", times: 3 });
        return client;
      },
      options,
    );
    expect(ends).toEqual(skipped);
    expect(endedAfterMs).toBe(0);
    await mock.clock.sleep(120_000);
    expect([creates(mock), mock.credits.used]).toEqual([sent, 0]);
    expect(await stepsIn(store)).toEqual({});
    expect(Object.values(await run(client, { sets, store }))).toEqual(Array(3).fill("succeeded"));
  },
);

test("an abort while a create waits in the rate limit's own line lets none be sent, and takes its record back", async () => {
  const { mock, ends, endedAfterMs, store } = await abortedAfterASecond(async ({ mock, client }) => {
    // After a 429, requests are sent one at a time, and the first takes a while.
    mock.fault({ status: 429, retryAfter: 0.1 }, { operation: "getJob" });
    mock.fault({ latencyMs: 2_500 }, { operation: "getJob", skip: 1 });
    void client.jobs.get("job_0").catch(() => {});
    await mock.clock.sleep(200);
    return client;
  });
  expect(ends).toEqual(skipped);
  expect(endedAfterMs).toBe(0);
  expect(creates(mock)).toBe(0);
  expect(await stepsIn(store)).toEqual({});
});

test("an abort starts nothing more, and each set has an outcome at once", async () => {
  const { mock, client, sets, store } = await batchScene(6, { lifecycle: "manual" });
  const controller = new AbortController();
  const onUpdate = () => controller.abort();
  const { signal } = controller;
  const outcomes = await collect(runBatch(client, { sets, store, concurrency: 2, signal, onUpdate }));
  expect(short(outcomes)).toMatchObject({ a: "waiting", f: "skipped: aborted" });
  expect(outcomes).toHaveLength(6);
  const paid = outcomes.filter(({ status }) => status === "waiting");
  expect(paid).toHaveLength(mock.credits.used / 10);
  expect(paid[0]).toMatchObject({ jobId: expect.any(String), credits: { cost: 10 } });
  expect(paid[0]).not.toHaveProperty("error");
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const requests = mock.requests().length;
  await mock.clock.advance(3_600_000);
  expect(mock.requests()).toHaveLength(requests);
});

test.each(["createScreenshots", "getJob"] as const)(
  "an abort waits for the answer to a create, which tells whether it was charged, but for no look (%s)",
  async (operation) => {
    const { mock, client, sets, store } = await batchScene(1, { lifecycle: "manual" });
    const controller = new AbortController();
    mock.fault({ latencyMs: 50_000 }, { operation });
    const outcomes = collect(runBatch(client, { sets, store, signal: controller.signal }));
    await mock.clock.sleep(1_000);
    controller.abort();
    const abortedAt = mock.clock.now();
    expect(await outcomes).toEqual([
      { key: "a", status: "waiting", jobId: "job_1", credits: expect.objectContaining({ cost: 10 }) },
    ]);
    expect(mock.clock.now() - abortedAt).toBe(operation === "getJob" ? 0 : 49_000);
  },
);

test("a signal that was aborted before sends nothing, but tells what the store knows", async () => {
  const { mock, client, sets, store } = await batchScene(2);
  const { a } = sets;
  await run(client, { sets: { a } as typeof sets, store });
  const requests = mock.requests().length;
  const signal = AbortSignal.abort();
  expect(await run(client, { sets, store, signal })).toEqual({ a: "succeeded", b: "skipped: aborted" });
  expect(mock.requests()).toHaveLength(requests);
});

test("a store that fails after an abort is told: the outcome names the paid job, and the batch rejects", async () => {
  const { mock, client, sets, store } = await batchScene(1);
  mock.fault({ latencyMs: 50_000 }, { operation: "createScreenshots" });
  const full = new Error("disk full");
  const save: typeof store.save = (key, next, previous) => {
    if (stop.signal.aborted) throw full;
    return store.save(key, next, previous);
  };
  const stop = new AbortController();
  const over = untilOver(runBatch(client, { sets, store: { ...store, save }, signal: stop.signal }));
  await mock.clock.sleep(1_000);
  stop.abort();
  const { outcomes, error } = await over;
  expect(outcomes).toMatchObject([{ key: "a", status: "waiting", jobId: "job_1" }]);
  expect(error).toMatchObject({
    name: "CreateInterruptedError",
    charged: "yes",
    jobId: "job_1",
    cause: full,
  });
});

test.each([
  { why: "an abort", isAborted: true },
  { why: "a full disk", isAborted: false },
])("a store that cannot be opened has an outcome for each set: $why", async ({ isAborted }) => {
  const { mock, client, sets, store } = await batchScene(3);
  const stop = new AbortController();
  const full = new Error("ENOSPC: no space left on device, write");
  const open = async (signal?: AbortSignal) => {
    if (!isAborted) throw full;
    stop.abort();
    signal?.throwIfAborted();
  };
  const close = vi.fn();
  const batch = runBatch(client, { sets, store: { ...store, open, close }, signal: stop.signal });
  const { outcomes, error } = await untilOver(batch);
  expect(short(outcomes)).toEqual(skipped);
  expect(error).toBe(isAborted ? undefined : full);
  expect([creates(mock), close.mock.calls]).toEqual([0, []]);
});
