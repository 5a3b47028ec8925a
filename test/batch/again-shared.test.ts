import fc from "fast-check";
import { runBatch, type SetStore, type StoredSet } from "screenshot-sets/batch";
import { expect, test } from "vitest";
import { batchScene, creates, short } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";
import { draws } from "../helpers/draws.js";

const operation = "createScreenshots";
const minuteMs = 60_000;

/** Sets on a store that several processes share, and runs of them, each as a process of its own. */
async function fleet(count: number) {
  const scene = await batchScene(count);
  const { client, sets, store: memory } = scene;
  const wrong: string[] = [];
  const repeated = new Set<string>();
  const run = async (again: readonly string[], concurrency = 4) => {
    /** What the run found at its beginning. */
    const found = new Map<string, StoredSet | null>();
    const store: SetStore = {
      ...memory,
      shared: true,
      load(key) {
        const value = memory.load(key) as StoredSet | null;
        if (!found.has(key)) found.set(key, value);
        return value;
      },
      save(key, next, previous) {
        const isSaved = memory.save(key, next, previous);
        const { state, earlier } = next as StoredSet;
        if (!isSaved || state?.step !== "sending" || earlier === undefined) return isSaved;
        const orders = JSON.stringify([key, earlier]);
        if (JSON.stringify(previous) !== JSON.stringify(found.get(key))) wrong.push(`not found: ${orders}`);
        if (repeated.has(orders)) wrong.push(`repeated twice: ${orders}`);
        repeated.add(orders);
        return isSaved;
      },
    };
    const outcomes = await collect(runBatch(client, { sets, store, again, concurrency }));
    return short(outcomes);
  };
  return { ...scene, run, wrong, repeated };
}

const create = fc.record({
  latencyMs: fc.constantFrom(0, 2_000, 20_000),
  how: fc.constantFrom("accepted", "failed", "lost", "lost"),
});
const begin = fc.record({ afterMs: fc.constantFrom(0, 0, 1_000, 10_000, 30_000), isAgain: fc.boolean() });

test("each order is repeated once at most by the `again` of three processes, and none that was in flight when they began", async () => {
  const drawn = fc.tuple(fc.array(create, { minLength: 6, maxLength: 12 }), fc.tuple(begin, begin, begin));
  let repeats = 0;
  const property = fc.asyncProperty(drawn, async ([plans, begins]) => {
    const { mock, run, sets, wrong, repeated } = await fleet(2);
    const keys = Object.keys(sets);
    for (const [skip, { latencyMs, how }] of plans.entries()) {
      mock.nextJob({ outcome: how === "failed" ? "failed" : "succeeded" });
      const fault = { latencyMs, ...(how === "lost" && { status: 503 }) };
      mock.fault(fault, { operation, skip, when: "after" });
    }
    await run([]);
    const before = creates(mock);
    const runs = begins.map(async ({ afterMs, isAgain }) => {
      await mock.clock.sleep(afterMs);
      return run(isAgain ? keys : []);
    });
    await Promise.all(runs);
    expect(wrong).toEqual([]);
    expect(creates(mock) - before).toBeLessThanOrEqual(repeated.size + keys.length);
    repeats += repeated.size;
  });
  await fc.assert(property, { numRuns: draws(60) });
  expect(repeats).toBeGreaterThan(0);
});

test.each([
  ["in flight, and is old at its turn,", "is left", minuteMs],
  ["in flight for longer than a create takes", "is ordered once more", 10 * minuteMs],
])("a set that a run finds %s %s by `again`", async (_, what, ageMs) => {
  const { mock, run, sets, store } = await fleet(2);
  const { baseUrl } = mock.clientOptions;
  const at = Date.now() - ageMs;
  const state = { version: 2, step: "sending", at, mark: "of another" };
  store.save("b", { version: 2, baseUrl, params: sets.b, state }, undefined);
  // Another one that was found is looked at first, for so long that this one is stale.
  mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 5 * minuteMs, running: 0, unit: "ms" } });
  store.save("a", { version: 2, baseUrl, params: sets.a, state: { ...state, step: "uncertain" } }, undefined);
  const ends = await run(["a", "b"], 1);
  const isLeft = what === "is left";
  expect(ends).toEqual({ a: "succeeded", b: isLeft ? "uncertain: maybe" : "succeeded" });
  expect(creates(mock)).toBe(isLeft ? 1 : 2);
});
