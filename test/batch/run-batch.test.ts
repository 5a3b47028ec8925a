import { getEventListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import { type Job, ScreenshotSets } from "screenshot-sets";
import { memoryStore, runBatch, type SetOutcome, type StoredSet } from "screenshot-sets/batch";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { creates, run, batchScene as scene, short, stepsIn, untilOver } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";

test("plans each set once, and a later run has the results without a request", async () => {
  const { mock, client, sets, store } = await scene(5);
  const first = await collect(runBatch(client, { sets, store }));
  expect(first.map(({ key }) => key).sort()).toEqual(["a", "b", "c", "d", "e"]);
  expect(first.find(({ key }) => key === "b")).toMatchObject({
    status: "succeeded",
    jobId: expect.stringContaining("job_"),
    job: { status: "succeeded", result: { device: "iphone-67", slides: { length: 5 } } },
    credits: { cost: 10 },
  });
  expect(mock.credits.used).toBe(50);

  const requests = mock.requests().length;
  const second = await collect(runBatch(client, { sets, store }));
  const byKey = (outcomes: SetOutcome[]) => new Map(outcomes.map((outcome) => [outcome.key, outcome]));
  expect(byKey(second)).toEqual(byKey(first));
  expect(mock.requests()).toHaveLength(requests);
});

test("outcomes come in the order of their ends, and no more than `concurrency` sets are begun at once", async () => {
  const { mock, client, sets } = await scene(4);
  const slow = { queued: 60_000, running: 0, unit: "ms" } as const;
  mock.nextJob({ outcome: "succeeded", lifecycle: slow });
  const keys: string[] = [];
  for await (const { key } of runBatch(client, { sets, concurrency: 2 })) {
    keys.push(key);
    expect(creates(mock)).toBeLessThanOrEqual(keys.length + 2);
  }
  expect(keys).toEqual(["b", "c", "d", "a"]);
});

test("many sets that sleep at once on a clock of the user's warn of no leak", async () => {
  const { mock, sets } = await scene(10);
  const many = Object.fromEntries(
    Object.entries(sets).flatMap(([key, params]) => [0, 1].map((n) => [`${key}${n}`, params])),
  );
  const clock = {
    now: () => performance.now(),
    sleep: (ms: number, signal?: AbortSignal) => setTimeout(Math.min(ms, 5), undefined, signal && { signal }),
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, clock });
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  expect(Object.values(await run(client, { sets: many, concurrency: 20 }))).toHaveLength(20);
  await setTimeout(0);
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("does nothing before the first `next`, and a concurrency beyond the sets costs nothing", async () => {
  const { mock, client, sets } = await scene(2);
  const batch = runBatch(client, { sets, concurrency: Number.MAX_SAFE_INTEGER });
  expect(creates(mock)).toBe(0);
  expect(await collect(batch)).toHaveLength(2);
});

test("takes an iterable of entries, and keeps the parameters as they were given", async () => {
  const { mock, client, sets, store } = await scene(2);
  const entries = new Map(Object.entries(sets));
  const batch = runBatch(client, { sets: entries, store });
  for (const params of entries.values()) params.device = "ipad-pro";
  expect((await collect(batch)).map(({ job }) => job?.result.device).sort()).toEqual([
    "iphone-67",
    "iphone-69",
  ]);
  expect(mock.credits.used).toBe(20);
});

test("calls onUpdate once per change of status; what it throws ends nothing", async () => {
  const lines: unknown[] = [];
  const error = (message: string) => void lines.push(message);
  const lifecycle = { queued: 3, running: 2, unit: "polls" } as const;
  const logger = { debug() {}, info() {}, warn() {}, error };
  const { client, sets } = await scene(1, { lifecycle }, { logger });
  const seen: [string, Job["status"]][] = [];
  const onUpdate = (key: string, { status }: Job) => {
    seen.push([key, status]);
    throw new Error("mine");
  };
  expect(await run(client, { sets, onUpdate })).toEqual({ a: "succeeded" });
  expect(seen).toEqual([
    ["a", "queued"],
    ["a", "running"],
    ["a", "succeeded"],
  ]);
  expect(lines).toEqual(Array(3).fill("onUpdate threw"));
});

test("a key that never comes fails the set after five minutes, with an error and without a charge", async () => {
  const { mock, sets, store } = await scene(1);
  const apiKey = () => new Promise<string>(() => {});
  const client = new ScreenshotSets({ ...mock.clientOptions, apiKey, timeoutMs: 90_000 });
  const startedAt = mock.clock.now();
  const [outcome] = await collect(runBatch(client, { sets, store }));
  expect(outcome).toMatchObject({ status: "failed", charged: "no", error: { name: "TimeoutError" } });
  expect(mock.clock.now() - startedAt).toBeGreaterThan(240_000);
  expect(creates(mock)).toBe(0);
});

test("leaving the loop starts nothing more, and what was accepted is in the store", async () => {
  const { mock, client, sets, store } = await scene(10);
  const { signal } = new AbortController();
  for await (const { status } of runBatch(client, { sets, store, concurrency: 2, signal })) {
    expect(status).toBe("succeeded");
    break;
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const paid = creates(mock);
  expect(paid).toBeLessThan(5);
  expect(Object.values(await stepsIn(store)).filter((step) => step !== "sending")).toHaveLength(paid);
  await mock.clock.sleep(3_600_000);
  expect(creates(mock)).toBe(paid);
  expect(Object.values(await run(client, { sets, store }))).toEqual(Array(10).fill("succeeded"));
  expect(mock.credits.used).toBe(100);
});

test("a store that cannot be read ends the batch before anything is sent, and tells what it knows", async () => {
  const { mock, client, sets, store } = await scene(3);
  await run(client, { sets: { a: sets.a } as typeof sets, store });
  const load = (key: string) => {
    if (key === "c") throw new Error("no such table");
    return store.load(key);
  };
  const { outcomes, error } = await untilOver(
    runBatch(client, { sets, store: { ...store, load }, concurrency: 1 }),
  );
  expect(error).toMatchObject({ message: "no such table" });
  expect(short(outcomes)).toEqual({ a: "succeeded", b: "skipped: aborted", c: "skipped: aborted" });
  expect(creates(mock)).toBe(1);
});

test.each(["parameters", "service"])(
  "a set that is stored with another %s refuses the whole batch before anything is sent",
  async (what) => {
    const { mock, client, sets, store } = await scene(2);
    await run(client, { sets: { a: sets.a } as typeof sets, store });
    const value = store.load("a") as StoredSet;
    const changed = {
      parameters: { params: { ...value.params, count: 3 } },
      service: { baseUrl: "https://service.example/api/v1" },
    }[what];
    store.save("a", { ...value, ...changed }, value);
    const requests = mock.requests().length;
    const { outcomes, error } = await untilOver(runBatch(client, { sets, store }));
    expect(outcomes).toEqual([]);
    expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringContaining('"a"') });
    expect(mock.requests()).toHaveLength(requests);
  },
);

const params = { appId: "app_1", device: "iphone-69" } as const;
const circle: Record<string, unknown> = { ...params };
circle.self = circle;

test.each<[object | undefined, string]>([
  [undefined, "Expected `sets` to be an object or an iterable of `[key, params]`, got undefined."],
  [{ sets: "a" }, "Expected `sets` to be an object"],
  [{ sets: [params] }, "Expected each of `sets` to be `[key, params]`"],
  [{ sets: { "": params } }, "Expected each of `sets` to be `[key, params]` with a key that is not empty"],
  [
    { sets: { a: undefined } },
    'Expected the parameters of "a" to be an object that JSON can hold, got undefined.',
  ],
  [{ sets: { a: circle } }, 'Expected the parameters of "a" to be an object that JSON can hold'],
  [{ sets: Array(2).fill(["a", params]) }, 'Expected each key of `sets` once, got "a" twice.'],
  [{ store: { load() {} } }, "Expected `store` to be an object with `load` and `save`"],
  [{ store: "sets.json" }, "Expected `store` to be an object"],
  [{ maxCredits: -1 }, "Expected `maxCredits` to be a number of credits, 0 or more, got -1."],
  [{ maxCredits: Number.NaN }, "Expected `maxCredits` to be"],
  [{ concurrency: 0 }, "Expected `concurrency` to be a positive integer, got 0."],
  [{ concurrency: Number.POSITIVE_INFINITY }, "Expected `concurrency` to be a positive integer"],
  [{ sets: { "app:us": params } }, "Expected each key of `sets` to be one that does not begin with `app:`"],
  [
    { store: { ...memoryStore(), shared: true }, maxCredits: 10 },
    "`maxCredits` cannot be kept with a store that",
  ],
  [{ again: "a" }, "Expected `again` to be an array of keys"],
  [{ again: [5] }, "Expected `again` to be an array of keys, got 5."],
  [{ signal: {} }, "Expected `signal` to be an AbortSignal"],
  [{ onUpdate: 1 }, "Expected `onUpdate` to be a function"],
  [{ timeoutMs: -1 }, "Expected `timeoutMs` to be"],
  [{ maxCredit: 1 }, "`runBatch` has no option `maxCredit`. Did you mean `maxCredits`?"],
])("refuses wrong options at once: %o", (options, message) => {
  const client = new ScreenshotSets(createMock().clientOptions);
  expect(() => runBatch(client, (options && { sets: {}, ...options }) as never)).toThrow(message);
});

test("refuses what is no client at once", () => {
  expect(() => runBatch({} as never, { sets: {} })).toThrow("Expected `client` to be a `ScreenshotSets`");
});
