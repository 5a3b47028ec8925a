import type { JobTimeoutError } from "screenshot-sets";
import { runBatch, type StoredSet } from "screenshot-sets/batch";
import { expect, test, vi } from "vitest";
import { batchScene, creates, run, short, untilOver } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";

const hourMs = 3_600_000;

/** A batch of one set that is paid and does not end by itself, and what a run of it with a time-out of 20 s gives. */
async function paidScene() {
  const scene = await batchScene(1, { lifecycle: "manual" });
  const { mock, client, sets, store } = scene;
  const runFor = async (timeoutMs = 20_000) => {
    const startedAt = mock.clock.now();
    const [outcome] = await collect(runBatch(client, { sets, store, timeoutMs }));
    return { outcome, tookMs: mock.clock.now() - startedAt };
  };
  return { ...scene, runFor };
}

test("a set that does not end in time is paid and waiting, and a later run goes on with it", async () => {
  const { mock, runFor } = await paidScene();
  const { outcome, tookMs } = await runFor();
  expect(outcome).toMatchObject({ status: "waiting", jobId: "job_1", credits: { cost: 10 } });
  expect(outcome?.error).toMatchObject({
    name: "JobTimeoutError",
    charged: "yes",
    job: { status: "queued" },
  });
  // One look comes at the deadline.
  expect(tookMs).toBeGreaterThan(19_000);
  expect(tookMs).toBeLessThanOrEqual(20_000);
  mock.jobs.succeed("job_1");
  expect((await runFor()).outcome).toMatchObject({ status: "succeeded" });
  expect(creates(mock)).toBe(1);
});

test("a set whose last looks fail says how its job was when last seen", async () => {
  const { mock, client, sets, store } = await paidScene();
  const onUpdate = () => mock.fault("reset", { operation: "getJob", times: 100 });
  const [outcome] = await collect(runBatch(client, { sets, store, timeoutMs: 20_000, onUpdate }));
  expect(outcome?.error).toMatchObject({
    message: expect.stringContaining("it was queued when last seen"),
    job: { status: "queued" },
  });
});

test("a set that is waited for no time at all is looked at once", async () => {
  const { client, sets } = await batchScene(1, { lifecycle: "instant" });
  expect(await run(client, { sets, timeoutMs: 0 })).toEqual({ a: "succeeded" });
});

test.each([
  ["a moment", 5_000, 15_000],
  ["hours", 5 * hourMs, 20_000],
  // The clock of whoever accepted it was ahead.
  ["hours in the future", -5 * hourMs, 20_000],
])(
  "a set that was accepted %s ago is waited for until it should end, or as long again",
  async (_, agoMs, waitedMs) => {
    const { runFor, store } = await paidScene();
    await runFor(1_000);
    const value = store.load("a") as StoredSet;
    const at = (value.state?.at ?? 0) + 1_000 - agoMs;
    store.save("a", { ...value, state: { ...value.state, at } }, value);
    const { outcome, tookMs } = await runFor();
    expect(outcome).toMatchObject({ status: "waiting", error: { name: "JobTimeoutError" } });
    const { elapsedMs }: Partial<JobTimeoutError> = Object(outcome?.error);
    expect(elapsedMs).toBeGreaterThanOrEqual(20_000);
    expect(elapsedMs).toBeLessThan(6 * hourMs);
    expect(tookMs).toBeGreaterThan(waitedMs - 2_000);
    expect(tookMs).toBeLessThanOrEqual(waitedMs + 100);
  },
);

test.each([
  ["ahead", 24 * hourMs],
  ["back", -24 * hourMs],
])(
  "a time of day that is set %s during a run makes no set be given up earlier or later",
  async (_, jumpMs) => {
    const { mock, client, sets, store } = await paidScene();
    const now = Date.now.bind(Date);
    const onUpdate = () => void vi.spyOn(Date, "now").mockImplementation(() => now() + jumpMs);
    const startedAt = mock.clock.now();
    const [outcome] = await collect(runBatch(client, { sets, store, timeoutMs: 20_000, onUpdate }));
    expect(outcome).toMatchObject({ status: "waiting", error: { name: "JobTimeoutError" } });
    const tookMs = mock.clock.now() - startedAt;
    expect(tookMs).toBeGreaterThan(19_000);
    expect(tookMs).toBeLessThanOrEqual(20_000);
  },
);

test("a set that was paid for long ago is looked at before others are ordered, at the usual pace", async () => {
  const { mock, client, sets, store } = await batchScene(2, { lifecycle: "manual" });
  const options = { store, timeoutMs: 20_000, concurrency: 1 };
  await run(client, { sets: { b: sets.b } as typeof sets, ...options });
  await mock.clock.advance(hourMs);
  const [startedAt, looks] = [mock.clock.now(), mock.requests({ operation: "getJob" }).length];
  const [first] = await collect(runBatch(client, { sets, ...options }));
  expect(first).toMatchObject({ key: "b", status: "waiting" });
  const [, order] = mock.requests({ operation: "createScreenshots" });
  expect((order?.time ?? 0) - startedAt).toBeGreaterThanOrEqual(18_000);
  expect((order?.time ?? 0) - startedAt).toBeLessThan(40_000);
  expect(mock.requests({ operation: "getJob" }).length - looks).toBeLessThan(30);
});

test("sets that were paid for long ago are all waited for from the beginning of the run, and looked at once at least", async () => {
  const { mock, client, sets, store } = await batchScene(3, { lifecycle: "manual" });
  const options = { sets, store, timeoutMs: 20_000 };
  await run(client, options);
  await mock.clock.advance(hourMs);
  mock.jobs.succeed("job_3");
  const startedAt = mock.clock.now();
  const ends = await run(client, { ...options, concurrency: 1 });
  expect(ends).toEqual({ a: "waiting", b: "waiting", c: "succeeded" });
  expect(mock.clock.now() - startedAt).toBeLessThanOrEqual(20_100);
});

test("a job whose looks hang is waited for no longer than until the look at the deadline ends", async () => {
  const { mock, runFor } = await paidScene();
  mock.fault("hang", { operation: "getJob", times: Number.POSITIVE_INFINITY });
  const { outcome, tookMs } = await runFor(90_000);
  expect(outcome).toMatchObject({ status: "waiting", error: { name: "JobTimeoutError", charged: "yes" } });
  expect(tookMs).toBeLessThanOrEqual(150_000);
});

test.each([
  [9_000, "free", "succeeded", 1],
  [11_000, "free", "succeeded", 1],
  // Who has lost the file of a batch can't take the record back.
  [11_000, "lost", "failed: no", 0],
])("a create whose record is %i ms old is sent only within ten seconds (the store is %s)", async (...row) => {
  const [ageMs, how, becomes, sent] = row;
  const { mock, client, sets, store } = await batchScene(1);
  let leadMs = 0;
  const clock = { now: () => mock.clock.now() + leadMs, sleep: mock.clock.sleep };
  const saved: (string | undefined)[] = [];
  const save = (key: string, next: unknown, previous: unknown) => {
    const step = (next as StoredSet | undefined)?.state?.step;
    saved.push(step);
    if (saved.length === 1) leadMs = ageMs;
    if (step === undefined && how === "lost") throw new Error("The lock was taken.");
    return store.save(key, next, previous);
  };
  const batch = runBatch(client.withOptions({ clock }), { sets, store: { ...store, save } });
  const { outcomes } = await untilOver(batch);
  expect([short(outcomes), creates(mock)]).toEqual([{ a: becomes }, sent]);
  expect(saved[1]).toBe(ageMs > 10_000 ? undefined : "accepted");
});
