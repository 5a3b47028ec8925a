import type { Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { batchScene, creates, run } from "../helpers/batch-scene.js";

const unlimited = Number.POSITIVE_INFINITY;
const operation = "createScreenshots";
const outages: [what: string, fault: Fault][] = [
  ["a 503 of a proxy", { status: 503, retryAfter: 1 }],
  ["connections that break", "reset"],
];

const count = (ends: Record<string, unknown>, what: string) =>
  Object.values(ends).filter((end) => end === what).length;

test.each(outages)("%s stops the creates of the run after two, and a later run goes on", async (_, fault) => {
  const { mock, client, sets, store } = await batchScene(10);
  mock.fault(fault, { operation, times: unlimited });
  const ends = await run(client, { sets, store, concurrency: 1 });
  expect([count(ends, "uncertain: maybe"), count(ends, "skipped: unclear")]).toEqual([2, 8]);
  expect(creates(mock)).toBe(2);
  mock.reset();
  await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const later = await run(client, { sets, store, concurrency: 1 });
  expect([count(later, "uncertain: maybe"), count(later, "succeeded")]).toEqual([2, 8]);
  expect(creates(mock)).toBe(8);
});

test("no more sets become uncertain than were in flight and two", async () => {
  const { mock, client, sets, store } = await batchScene(10);
  mock.fault({ status: 503, latencyMs: 1_000 }, { operation, times: unlimited });
  const ends = await run(client, { sets, store, concurrency: 4 });
  expect([count(ends, "uncertain: maybe"), count(ends, "skipped: unclear")]).toEqual([4, 6]);
});

test.each<[what: string, between: Fault | undefined, uncertain: number, succeeded: number]>([
  ["an acceptance", undefined, 2, 8],
  ["a refusal", { status: 422 }, 2, 7],
])("two unclear ends with %s between them are no outage", async (_, between, uncertain, succeeded) => {
  const { mock, client, sets, store } = await batchScene(10);
  mock.fault("reset", { operation });
  mock.fault(between ?? { latencyMs: 0 }, { operation, skip: 1 });
  mock.fault("reset", { operation, skip: 2 });
  const ends = await run(client, { sets, store, concurrency: 1 });
  expect([count(ends, "uncertain: maybe"), count(ends, "succeeded")]).toEqual([uncertain, succeeded]);
});

/** A 429 is sent again. So is what was not connected, until the third time. */
test.each([
  { between: "a 429", times: 1, skipped: 4 },
  { between: "a connection that is not made", times: 3, skipped: 3 },
])("$between between two unclear ends is no clear answer", async ({ between, times, skipped }) => {
  const { mock, sets, store, client } = await batchScene(6);
  mock.fault("reset", { operation, times: 2 });
  let posts = 0;
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (init?.method === "POST") posts++;
    if (init?.method !== "POST" || posts === 1 || posts > 1 + times) return mock.fetch(url, init);
    if (between === "a 429") return Response.json({}, { status: 429 });
    throw new TypeError("fetch failed", { cause: refused });
  };
  const ends = await run(client.withOptions({ fetch }), { sets, store, concurrency: 1 });
  expect([count(ends, "uncertain: maybe"), count(ends, "skipped: unclear")]).toEqual([2, skipped]);
});

test("a look that is answered between two unclear ends is no clear answer to a create", async () => {
  const { mock, client, sets, store } = await batchScene(6, {
    lifecycle: { queued: 60_000, running: 0, unit: "ms" },
  });
  mock.fault({ status: 503, latencyMs: 10_000 }, { operation, skip: 1, times: unlimited });
  const ends = await run(client, { sets, store, concurrency: 2 });
  expect([count(ends, "uncertain: maybe"), count(ends, "skipped: unclear")]).toEqual([2, 3]);
});

test("after a 402 no further create is sent in that run, and what was accepted is waited for", async () => {
  const { mock, client, sets, store } = await batchScene(6, { allowance: 20 });
  expect(await run(client, { sets, store, concurrency: 1 })).toEqual({
    a: "succeeded",
    b: "succeeded",
    ...Object.fromEntries(["c", "d", "e", "f"].map((key) => [key, "skipped: credits"])),
  });
  expect(creates(mock)).toBe(3);
  mock.credits.set(100);
  expect(Object.values(await run(client, { sets, store }))).toEqual(Array(6).fill("succeeded"));
});
