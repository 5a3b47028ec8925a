import { setCost } from "screenshot-sets";
import { runBatch, type StoredSet } from "screenshot-sets/batch";
import type { Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { batchScene, creates, run, short } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";

const operation = "createScreenshots";

/** A batch of an uncertain set `a`, a failed one `b` and a planned one `c`, each of which was paid for. */
async function pastScene() {
  const scene = await batchScene(3);
  const { mock, client, sets, store } = scene;
  mock.fault("reset", { operation, when: "after" });
  mock.nextJob({ outcome: "succeeded" });
  mock.nextJob({ outcome: "failed" });
  const first = { a: "uncertain: maybe", b: "failed: yes", c: "succeeded" };
  expect(await run(client, { sets, store, concurrency: 1 })).toEqual(first);
  expect(mock.credits.used).toBe(3 * setCost);
  return { ...scene, first };
}

test("a set that is uncertain, or failed and was charged, is ordered once more by its key, and others are left", async () => {
  const { mock, client, sets, store, first } = await pastScene();
  expect(await run(client, { sets, store, again: ["a"] })).toEqual({ ...first, a: "succeeded" });
  const all = { a: "succeeded", b: "succeeded", c: "succeeded" };
  expect(await run(client, { sets, store, again: new Set(["a", "b", "c", "unknown"]) })).toEqual(all);
  expect(await run(client, { sets, store })).toEqual(all);
  expect(mock.credits.used).toBe(5 * setCost);
});

test("what a set did cost before counts on against the budget, also in later runs", async () => {
  const { mock, client, sets, store, first } = await pastScene();
  const again = ["a", "b"];
  const maxCredits = 4 * setCost;
  const limited = await run(client, { sets, store, again, maxCredits, concurrency: 1 });
  expect(limited).toEqual({ ...first, a: "succeeded", b: "failed: yes, budget" });
  expect(await run(client, { sets, store, maxCredits })).toEqual({ ...first, a: "succeeded" });
  const later = { ...sets, d: sets.a } as typeof sets;
  expect(await run(client, { sets: later, store, maxCredits })).toMatchObject({ d: "skipped: budget" });
  expect(mock.credits.used).toBe(4 * setCost);
});

test.each<[how: string, fault: Fault, end: string]>([
  ["refused", { status: 422 }, "failed: yes"],
  ["refused for lack of credits", { status: 402 }, "failed: yes, credits"],
])("a set that is %s when it is ordered once more stays as it was, and says why", async (_, fault, end) => {
  const { client, sets, store, mock, first } = await pastScene();
  const before = store.load("b");
  mock.fault(fault, { operation });
  const outcomes = await collect(runBatch(client, { sets, store, again: ["b"] }));
  expect(short(outcomes)).toEqual({ ...first, b: end });
  const [left] = outcomes.filter(({ key }) => key === "b");
  expect(left).toMatchObject({ jobId: "job_2", credits: { cost: setCost }, error: { charged: "yes" } });
  expect(left?.error?.name).toBe(end === "failed: yes" ? "UnprocessableEntityError" : "JobFailedError");
  expect(store.load("b")).toEqual(before);
  expect(await run(client, { sets, store })).toEqual(first);
});

test("a set that becomes uncertain when it is ordered once more may be ordered again, and all orders count", async () => {
  const { client, sets, store, mock, first } = await pastScene();
  mock.fault({ status: 503 }, { operation });
  const again = ["b"];
  expect(await run(client, { sets, store, again })).toEqual({ ...first, b: "uncertain: maybe" });
  const maxCredits = 5 * setCost;
  expect(await run(client, { sets, store, again, maxCredits })).toEqual({ ...first, b: "succeeded" });
  // Three that were paid, one that may have been, and the last.
  expect(await run(client, { sets, store, again: ["a"], maxCredits })).toMatchObject({
    a: "uncertain: maybe, budget",
  });
});

test("a create that a run finds begun, where no other process can be at it, is ordered once more", async () => {
  const { mock, client, sets, store } = await batchScene(1);
  const { baseUrl } = mock.clientOptions;
  const state = { version: 2, step: "sending", at: Date.now(), mark: "of a process that died" };
  store.save("a", { version: 2, baseUrl, params: sets.a, state }, undefined);
  expect(await run(client, { sets, store })).toEqual({ a: "uncertain: maybe" });
  expect(await run(client, { sets, store, again: ["a"] })).toEqual({ a: "succeeded" });
  expect([creates(mock), (store.load("a") as StoredSet).earlier]).toEqual([1, [state]]);
});

test("an abort before a set is ordered once more leaves its record", async () => {
  const { client, sets, store, mock } = await pastScene();
  const before = [store.load("a"), creates(mock)];
  const signal = AbortSignal.abort();
  expect(await run(client, { sets, store, again: ["a"], signal })).toMatchObject({
    a: "uncertain: maybe, aborted",
  });
  expect([store.load("a"), creates(mock)]).toEqual(before);
});

test("a set whose job fails in the run itself is not ordered once more by it", async () => {
  const { mock, client, sets, store } = await batchScene(1, { lifecycle: "manual" });
  expect(await run(client, { sets, store, timeoutMs: 1_000 })).toEqual({ a: "waiting" });
  mock.jobs.fail("job_1");
  const saves: unknown[] = [];
  const save = (...args: [string, unknown, unknown]) => saves.push(args) > 0 && store.save(...args);
  const again = { sets, store: { ...store, save }, again: ["a"] };
  expect(await run(client, again)).toEqual({ a: "failed: yes" });
  expect([creates(mock), saves.length]).toEqual([1, 1]);
});
