import {
  type memoryStore,
  runBatch,
  type SetOutcome,
  type SetStore,
  type StoredSet,
} from "screenshot-sets/batch";
import type { MockOptions } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { batchScene, creates, run, short, untilOver } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";

/** A batch on a store that other processes share. */
async function sharedScene(count: number, options: MockOptions = {}) {
  const scene = await batchScene(count, options);
  const store: SetStore & ReturnType<typeof memoryStore> = { ...scene.store, shared: true };
  const { baseUrl } = scene.mock.clientOptions;
  /** What another process saves of set `a`. */
  const put = (state: object) => {
    const record = { version: 2, baseUrl, params: scene.sets.a, state: { version: 2, ...state } };
    store.save("a", record, store.load("a"));
  };
  const recordSending = () =>
    put({ step: "sending", at: Date.now() + scene.mock.clock.now() - startsAt, mark: "of another" });
  const startsAt = scene.mock.clock.now();
  return { ...scene, store, put, recordSending };
}

test("two runs at once order each set once, and both tell its end", async () => {
  const { mock, client, sets, store } = await sharedScene(10, {
    lifecycle: { queued: 2_000, running: 0, unit: "ms" },
  });
  mock.fault({ latencyMs: 7_000 }, { operation: "createScreenshots", times: 3, when: "after" });
  const runs = await Promise.all([1, 2].map(() => run(client, { sets, store })));
  const all = Object.fromEntries(Object.keys(sets).map((key) => [key, "succeeded"]));
  expect(runs).toEqual([all, all]);
  expect([creates(mock), mock.credits.used]).toEqual([10, 100]);
});

const paid = { jobId: "job_1", credits: { cost: 10, remaining: 90 }, polls: 0, step: "accepted" };

const failed = { ...paid, step: "ended", job: { status: "failed", result: null, error: {} } };

/** What another process does while a run waits for its create in flight, and what the run then tells. */
const knows: [what: string, next: object | undefined, becomes: string][] = [
  ["is accepted", paid, "succeeded"],
  ["becomes uncertain", { step: "uncertain" }, "uncertain: maybe"],
  ["is heard of no more", undefined, "uncertain: maybe"],
  ["has failed", failed, "failed: yes"],
];

test.each(knows)(
  "a run waits for a create in flight, at the place of its set, until that %s, and never repeats it",
  async (...row) => {
    const [, next, becomes] = row;
    for (const again of [[], ["a"]]) {
      const { mock, client, sets, store, put, recordSending } = await sharedScene(2);
      if (next === paid) await client.screenshots.create(sets.a as never);
      const before = creates(mock);
      recordSending();
      const outcomes = collect(runBatch(client, { sets, store, again, concurrency: 1 }));
      await mock.clock.sleep(20_000);
      expect(creates(mock)).toBe(before);
      if (next) put({ at: (store.load("a") as StoredSet).state?.at, ...next });
      expect(short(await outcomes)).toEqual({ a: becomes, b: "succeeded" });
      expect(creates(mock)).toBe(before + 1);
    }
  },
);

test("a run that waits for a create in flight orders the set when its record is removed", async () => {
  const { mock, client, sets, store, recordSending } = await sharedScene(1);
  recordSending();
  const outcomes = run(client, { sets, store });
  await mock.clock.sleep(20_000);
  store.save("a", undefined, store.load("a"));
  expect(await outcomes).toEqual({ a: "succeeded" });
});

test("a set that others order with other parameters meanwhile is not taken for this one", async () => {
  const { mock, client, sets, store, put, recordSending } = await sharedScene(1);
  recordSending();
  const outcomes = untilOver(runBatch(client, { sets, store }));
  await mock.clock.sleep(20_000);
  put({ at: Date.now(), ...paid });
  const value = store.load("a") as StoredSet;
  store.save("a", { ...value, params: { ...value.params, device: "ipad-pro" } }, value);
  const { error } = await outcomes;
  expect(error).toMatchObject({ name: "ConfigurationError" });
});

test.each(["aborted", "failing"])(
  "a create in flight is uncertain where the run is %s meanwhile, and a later run corrects it",
  async (how) => {
    const { mock, client, sets, store, put, recordSending } = await sharedScene(2);
    recordSending();
    const stop = new AbortController();
    let isFailing = false;
    const load = (key: string) => {
      if (isFailing) throw new Error("no such table");
      return store.load(key);
    };
    const outcomes = untilOver(
      runBatch(client, { sets, store: { ...store, load }, signal: stop.signal, concurrency: 1 }),
    );
    await mock.clock.sleep(10_000);
    if (how === "aborted") stop.abort();
    isFailing = how === "failing";
    const { outcomes: ends, error } = await outcomes;
    expect(short(ends)).toEqual({ a: "uncertain: maybe", b: "skipped: aborted" });
    expect(error?.message).toBe(how === "failing" ? "no such table" : undefined);
    put({ at: Date.now(), ...paid, step: "ended", job: { status: "succeeded", result: {} } });
    expect(await run(client, { sets, store })).toEqual({ a: "succeeded", b: "succeeded" });
  },
);

test("a run that meets the record of another when it would order tells so, also if it is aborted then", async () => {
  const { client, sets, store, recordSending } = await sharedScene(1);
  const stop = new AbortController();
  const save = () => {
    recordSending();
    stop.abort();
    return false;
  };
  const options = { sets, store: { ...store, save }, signal: stop.signal };
  expect(await run(client, options)).toEqual({ a: "uncertain: maybe" });
});

test("what a run has found out is not asked of the store at each look", async () => {
  const { mock, client, sets, store, put, recordSending } = await sharedScene(1, { lifecycle: "manual" });
  await client.screenshots.create(sets.a as never);
  recordSending();
  let loads = 0;
  const load = (key: string) => {
    loads++;
    return store.load(key);
  };
  const outcomes = collect(runBatch(client, { sets, store: { ...store, load }, timeoutMs: 60_000 }));
  await mock.clock.sleep(7_000);
  put({ at: Date.now(), ...paid });
  const [outcome] = await outcomes;
  expect(outcome?.error).toMatchObject({ polls: mock.requests({ operation: "getJob" }).length });
  expect(loads).toBeLessThan(5);
});

test("a store that keeps its record from others says so at once what it has of a create in flight", async () => {
  const { mock, client, sets, store, recordSending } = await sharedScene(1);
  recordSending();
  const startedAt = mock.clock.now();
  const outcomes: SetOutcome[] = await collect(
    runBatch(client, { sets, store: { ...store, shared: false } }),
  );
  expect([short(outcomes), mock.clock.now()]).toEqual([{ a: "uncertain: maybe" }, startedAt]);
});
