import { ScreenshotSets } from "screenshot-sets";
import { runBatch } from "screenshot-sets/batch";
import { expect, test } from "vitest";
import { batchScene, creates, run, short } from "../helpers/batch-scene.js";
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

test.each([{ maxCredits: 100 }, { concurrency: 1 }, { concurrency: 3 }])(
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
    expect([...store.texts.values()].every((text) => text === "null")).toBe(true);
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
  expect([...store.texts.values()].filter((text) => text !== "null")).toEqual([]);
});

test("an abort while a key function runs lets nothing be sent, and takes the record back", async () => {
  let keys = 0;
  const { mock, ends, endedAfterMs, store } = await abortedAfterASecond(
    ({ mock }) =>
      new ScreenshotSets({
        ...mock.clientOptions,
        async apiKey() {
          keys++;
          await mock.clock.sleep(20_000);
          return mock.clientOptions.apiKey;
        },
      }),
  );
  expect(keys).toBe(3);
  expect(ends).toEqual(skipped);
  expect(endedAfterMs).toBe(0);
  await mock.clock.sleep(60_000);
  expect([creates(mock), [...store.texts.values()]]).toEqual([0, ["null", "null", "null"]]);
});

test("an abort between the record of a create and the create takes the record back", async () => {
  const { mock, client, sets, store } = await batchScene(2);
  const stop = new AbortController();
  const save = async (key: string, value: unknown) => {
    await store.save(key, value);
    stop.abort();
  };
  const aborted = { sets, store: { load: store.load, save }, signal: stop.signal, concurrency: 1 };
  expect(await run(client, aborted)).toEqual({ a: "skipped: aborted", b: "skipped: aborted" });
  expect([creates(mock), store.texts.get("a")]).toEqual([0, "null"]);
});

test("what is in flight at an abort ends, and is stored", async () => {
  const { mock, ends, endedAfterMs, client, sets, store } = await abortedAfterASecond(
    ({ mock, client }) => {
      mock.fault({ latencyMs: 5_000 }, { operation: "createScreenshots", times: 2, when: "after" });
      return client;
    },
    { concurrency: 2 },
  );
  expect(ends).toEqual({ a: "waiting", b: "waiting", c: "skipped: aborted" });
  expect(endedAfterMs).toBe(4_000);
  expect(Object.values(await run(client, { sets, store }))).toEqual(Array(3).fill("succeeded"));
  expect(mock.credits.used).toBe(30);
});
