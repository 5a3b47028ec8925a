import { ScreenshotSets, setCost } from "screenshot-sets";
import { memoryStore, runBatch, type SetOutcome, type StoredSet } from "screenshot-sets/batch";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { batchScene, run } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";

/** A service whose sets cost what `priceOf` says, counted from 1, and a store for them. */
async function pricedScene(count: number, priceOf: (create: number) => number = () => setCost) {
  const mock = createMock({ allowance: 1_000_000 });
  let charged = 0;
  let created = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await mock.fetch(input, init);
    if (!String(input).endsWith("/screenshots") || response.status !== 201) return response;
    const cost = priceOf(++created);
    charged += cost;
    const { jobId, credits } = await response.json();
    return Response.json({ jobId, credits: credits && { cost, remaining: 100 } }, { status: 201 });
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch });
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const sets = Array.from(
    { length: count },
    (_, index) => [`set ${index}`, { appId, device: "ipad-pro" }] as const,
  );
  const store = memoryStore();
  const run = (maxCredits: number, concurrency = 4, order: readonly (typeof sets)[number][] = sets) =>
    collect(runBatch(client, { sets: order, store, maxCredits, concurrency }));
  return { mock, run, sets, store, charged: () => charged };
}

const count = (outcomes: SetOutcome[], word: string) =>
  outcomes.filter(({ status, reason }) => status === word || reason === word).length;

test.each([
  { maxCredits: 0, planned: 0 },
  { maxCredits: setCost - 0.5, planned: 0 },
  { maxCredits: setCost, planned: 1 },
  { maxCredits: 3.9 * setCost, planned: 3 },
  { maxCredits: 100 * setCost, planned: 8 },
])(
  "of 8 sets, a budget of $maxCredits plans $planned over all runs, and a larger one the rest",
  async (row) => {
    const { maxCredits, planned } = row;
    const { run, charged } = await pricedScene(8);
    for (let runs = 0; runs < 2; runs++) {
      const outcomes = await run(maxCredits, 8);
      expect(charged()).toBe(planned * setCost);
      expect([count(outcomes, "succeeded"), count(outcomes, "budget")]).toEqual([planned, 8 - planned]);
    }
    expect(count(await run(8 * setCost), "succeeded")).toBe(8);
  },
);

test("sets that may have been charged count, in this run and in later ones", async () => {
  const { mock, run } = await pricedScene(8);
  // Two in a row would be taken for an outage.
  for (const skip of [0, 2]) mock.fault("reset", { operation: "createScreenshots", skip, when: "after" });
  for (let runs = 0; runs < 2; runs++) {
    const outcomes = await run(4 * setCost);
    expect([count(outcomes, "uncertain"), count(outcomes, "succeeded")]).toEqual([2, 2]);
  }
  expect(mock.credits.used).toBe(4 * setCost);
});

test.each([1, 2, 3, 4, 5, 6])(
  "a price that rises at create %i passes no budget that had room at that price",
  async (rise) => {
    const dear = 2 * setCost;
    const priceOf = (create: number) => (create < rise ? setCost : dear);
    const maxCredits = 10 * setCost;
    const { run, charged } = await pricedScene(12, priceOf);
    for (let runs = 0; runs < 3; runs++) await run(maxCredits, 12);
    expect(charged()).toBeLessThanOrEqual(maxCredits);
    expect(charged()).toBeGreaterThan(maxCredits - dear);
  },
);

test("the price that an acceptance names counts in later runs, for uncertain sets too", async () => {
  const { mock, run, charged } = await pricedScene(8, () => 3 * setCost);
  mock.fault("reset", { operation: "createScreenshots", when: "after" });
  expect(count(await run(4 * setCost, 1), "uncertain")).toBe(1);
  expect(charged()).toBe(3 * setCost);
  // One is uncertain and one was accepted, at three times the documented cost each.
  const outcomes = await run(8 * setCost);
  expect(count(outcomes, "budget")).toBe(6);
});

test("what one set did cost, the next may cost, in this run and in later ones", async () => {
  const { run, charged } = await pricedScene(9, (create) => (create === 1 ? 3 : 1) * setCost);
  await run(6 * setCost, 1);
  // Two more would fit at the last price.
  expect(charged()).toBe(4 * setCost);
  expect(count(await run(6 * setCost, 1), "budget")).toBe(7);
  await run(7 * setCost, 1);
  expect(charged()).toBe(5 * setCost);
});

test("sets of the store that a batch does not name count, and so do its earlier orders", async () => {
  const { run, sets, charged, store } = await pricedScene(8);
  await run(3 * setCost, 4, sets.slice(0, 3));
  const limit = 5 * setCost;
  expect(count(await run(limit, 4, sets.slice(3)), "succeeded")).toBe(2);
  expect(charged()).toBe(limit);
  // An app of the command line is no set.
  store.save("app:us", { state: { step: "sending" } }, undefined);
  expect(count(await run(limit + setCost, 4, sets.slice(5)), "succeeded")).toBe(1);

  const [key, params] = sets[7] as (typeof sets)[number];
  const value = store.load("set 0") as StoredSet;
  store.save(
    "old",
    { ...value, state: undefined, earlier: [value.state, { ...value.state, step: "uncertain" }] },
    undefined,
  );
  expect(count(await run(limit + 3 * setCost, 1, [[key, params]]), "budget")).toBe(1);
  expect(count(await run(limit + 4 * setCost, 1, [[key, params]]), "succeeded")).toBe(1);
});

test.each([
  [
    "of another service",
    { baseUrl: "https://service.example/api/v1" },
    "was ordered from https://service.example",
  ],
  ["that does not read", { version: 1 }, "what a step saved"],
])(
  "a set %s, which the batch does not name, refuses it before anything is sent",
  async (_, changed, message) => {
    const { mock, run, sets, store } = await pricedScene(2);
    await run(10 * setCost, 1, sets.slice(0, 1));
    const value = store.load("set 0") as StoredSet;
    store.save("set 0", { ...value, ...changed }, value);
    const requests = mock.requests().length;
    const error = await rejection(run(10 * setCost, 1, sets.slice(1)));
    expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringContaining(message) });
    expect(error.message).toContain('"set 0"');
    expect(mock.requests()).toHaveLength(requests);
  },
);

test("a set counts once, however many runs it takes", async () => {
  const { mock, client, sets, store } = await batchScene(2, { lifecycle: "manual" });
  const [only, options] = [{ a: sets.a } as typeof sets, { store, timeoutMs: 5_000 }];
  expect(await run(client, { sets: only, ...options })).toEqual({ a: "waiting" });
  mock.jobs.succeed("job_1");
  expect(await run(client, { sets: only, ...options })).toEqual({ a: "succeeded" });
  const maxCredits = 2 * setCost;
  expect(await run(client, { sets, maxCredits, ...options })).toEqual({ a: "succeeded", b: "waiting" });
});

test("an acceptance that does not tell its cost counts at the highest price that is known", async () => {
  const { mock, run } = await pricedScene(8);
  mock.fault({ status: 201, body: { jobId: "job_1" } }, { operation: "createScreenshots", when: "after" });
  for (let runs = 0; runs < 2; runs++) await run(3 * setCost, 1);
  expect(mock.credits.used).toBe(3 * setCost);
});
