import { ConnectionError, JobTimeoutError, ScreenshotSets } from "screenshot-sets";
import { type SetState, type StoredSet, stepSet } from "screenshot-sets/durable";
import { createMock, type Fault } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { SetScene } from "../helpers/set-scene.js";

// What a step does with each answer, record and store: outcomes.test.ts.

const manual = () => createMock({ lifecycle: "manual" });
const timed = (queued: number, running: number) =>
  createMock({ allowance: 1_000, lifecycle: { queued, running, unit: "ms" } });
type Accepted = Extract<SetState, { step: "accepted" }>;
const hourMs = 3_600_000;

test("a set is recorded, created, recorded as accepted, looked at, and recorded as it ended", async () => {
  const set = await SetScene.of();
  const states: (SetState | undefined)[] = [];
  const store = set.storeThrough((next, stores) => {
    states.push(next);
    return stores();
  });
  const [version, at, credits] = [2, expect.any(Number), { cost: 10, remaining: 90 }];
  const result = await set.step({ store });
  const sentAt = states[0]?.at;
  const paid = { version, jobId: "job_1", credits, at, sentAt };
  expect(states).toEqual([
    { version, step: "sending", at, mark: expect.any(String) },
    { ...paid, step: "accepted", polls: 0, waitedMs: result.delayMs, unfinishedAt: at },
  ]);
  expect(set.mock.requests({ operation: "createScreenshots" })).toMatchObject([{ body: set.params }]);

  const { job } = await set.step({ store });
  expect(states[2]).toEqual({ ...paid, step: "ended", job });
  const { baseUrl } = set.mock.clientOptions;
  expect(set.record).toEqual({ version, baseUrl, params: set.params, state: states[2] });
});

test("each step of an accepted set is one look, until its job has succeeded", async () => {
  const set = await SetScene.of(timed(20_000, 40_000));
  const { job, steps } = await set.end();
  expect(job.result.slides).toHaveLength(3);
  // The record, the acceptance, and what each look has found.
  expect({ looks: set.looks, saves: set.saved.length }).toEqual({ looks: steps - 1, saves: steps + 1 });
  expect(set.looks).toBeLessThan(40);
  expect(set.mock.credits.used).toBe(10);
});

test.each<[Fault, object]>([
  [
    { status: 503, body: { message: "down for repair" } },
    { name: "ServerError", status: 503 },
  ],
  ["reset", { name: "ConnectionError", code: "ECONNRESET" }],
])("the error of a set that may have been charged says why, in later steps too: %o", async (fault, kept) => {
  const set = await SetScene.of();
  set.mock.fault(fault, { operation: "createScreenshots" });
  const [first, later] = [(await set.step()).error, (await set.step()).error];
  const { message }: { message?: string } = Object(first?.cause);
  expect(first?.message).toMatch(/^A create failed .* compare the account's credits /);
  expect(first?.message).toContain(`(${message})`);
  expect(later?.message).toBe(first?.message);
  expect({ ...set.state }).toEqual({ ...set.state, cause: { ...kept, message } });
  expect(later?.cause).toMatchObject({ ...kept, message });
});

test.each([
  [
    { step: "sending", at: 1_800_000_000_000, mark: "" },
    "was started at 2027-01-15T08:00:00.000Z, and its end",
  ],
  [{ step: "uncertain", at: 1_800_000_000_000 }, "was started at 2027-01-15T08:00:00.000Z, and its end"],
  [{ step: "sending", at: "noon", mark: "" }, "was started, and its end"],
  [{ step: "sending", at: 1e20, mark: "" }, "was started, and its end"],
])("a create whose end was not stored is told since it began: %o", async (found, words) => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_900_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const set = await SetScene.of();
  set.state = { version: 2, ...found };
  expect((await set.step()).error?.message).toMatch(new RegExp(`${words} .* compare the account's credits `));
});

test("a refused create whose record can't be removed says what to do, and why", async () => {
  const set = await SetScene.of();
  set.mock.fault({ status: 422 }, { operation: "createScreenshots" });
  const full = new Error("disk full");
  const store = set.storeThrough((next, stores) => {
    if (next === undefined) throw full;
    return stores();
  });
  const { message, cause } = await rejection(set.step({ store }));
  expect(message).toMatch(/charged nothing, .* Take another step first/);
  expect(cause).toBe(full);
});

test.each([
  [
    { cost: "10", remaining: 90, currency: "EUR" },
    { cost: "10", remaining: 90 },
  ],
  [{ cost: "ten", remaining: 90 }, { remaining: 90 }],
  [{ cost: "10.5", remaining: "90 of 100" }, { cost: "10.5" }],
  [{ cost: [10], remaining: null }, undefined],
])("of the credits of an acceptance, numbers are kept: of %o, %o", async (given, credits) => {
  const set = await SetScene.of();
  const body = { jobId: "job_1", credits: given };
  set.mock.fault({ status: 201, body }, { operation: "createScreenshots" });
  expect(await set.step()).toMatchObject({ status: "waiting", jobId: "job_1" });
  expect(set.state).toEqual({ ...set.state, credits });
});

test("an acceptance that is found replaced by that of another job was not stored", async () => {
  const set = await SetScene.of();
  const store = set.storeThrough((next, stores) => {
    if (next?.step !== "accepted") return stores();
    set.state = { ...next, jobId: "job_of_another" };
    return false;
  });
  expect(await rejection(set.step({ store }))).toMatchObject({ charged: "yes", jobId: "job_1" });
});

test.each([false, true])(
  "an acceptance that is found replaced was stored where what stands went on from it (ordered once more: %s)",
  async (isOrderedAgain) => {
    const set = await SetScene.of();
    const meanwhile = async () => {
      await set.step();
      const { state, ...record } = set.record as StoredSet;
      const again = { ...record, state: { version: 2, step: "sending", at: 0, mark: "" }, earlier: [state] };
      if (isOrderedAgain) set.store.save(set.key, again, set.record);
    };
    const store = set.storeThrough(async (next, stores) => {
      const isStored = stores();
      if (next?.step !== "accepted") return isStored;
      // The reply is lost, and the store tries again.
      await meanwhile();
      return stores();
    });
    expect(await set.step({ store })).toMatchObject({ status: "waiting", jobId: "job_1" });
    expect(set.saved.slice(0, 3)).toEqual(["sending", "accepted", "ended"]);
  },
);

test("a set whose job has an unknown status fails with an error, succeeds with a result, and else waits", async () => {
  const result = { device: "iphone-69", slides: [] };
  const ends = { waiting: {}, failed: { error: { message: "no listing" } }, succeeded: { result } };
  for (const [status, more] of Object.entries(ends)) {
    const set = await SetScene.of();
    await set.step();
    const body = { id: "job_1", status: "archived", result: null, error: null, ...more };
    set.mock.fault({ status: 200, body }, { operation: "getJob" });
    expect(await set.step()).toMatchObject({ status });
  }
});

test("the delays of a set add up in its record, and a look at a time that the service chose teaches nothing", async () => {
  const set = await SetScene.of(manual());
  await set.step();
  const before = set.state as Accepted;
  const { delayMs = 0 } = await set.step();
  const usual = set.state as Accepted;
  expect(usual).toMatchObject({ polls: 1, status: "queued", waitedMs: (before.waitedMs ?? 0) + delayMs });
  expect(usual.unfinishedAt).toBeGreaterThanOrEqual(before.at);
  set.mock.fault({ status: 503, retryAfter: 0 }, { operation: "getJob" });
  expect(await set.step()).toMatchObject({ delayMs: 20 });
  expect(set.state).toMatchObject({ polls: 2, status: "queued", waitedMs: (usual.waitedMs ?? 0) + 20 });
  expect(set.state).not.toHaveProperty("unfinishedAt");
  await set.step();
  expect(set.state).toHaveProperty("unfinishedAt");
  // Nor does one after somebody had to see to something.
  set.mock.fault({ status: 403 }, { operation: "getJob" });
  await set.step();
  expect(set.state).not.toHaveProperty("unfinishedAt");
});

test("a delay is a whole number of milliseconds, and no longer than a timer can wait", async () => {
  const set = await SetScene.of(manual());
  set.mock.fault({ status: 402, retryAfter: 30 * 24 * 3_600 }, { operation: "createScreenshots" });
  expect(await set.step()).toMatchObject({ status: "waiting", delayMs: 2 ** 31 - 1 });
  for (let steps = 0; steps < 5; steps++) expect((await set.step()).delayMs).toSatisfy(Number.isInteger);
});

test("a job is overdue after `timeoutMs`, and a later step still finds its end", async () => {
  const set = await SetScene.of(manual(), { minDelayMs: hourMs, maxDelayMs: hourMs });
  await set.step();
  for (let looks = 1; looks < 24; looks++) {
    await set.mock.clock.advance(hourMs);
    expect((await set.step()).error).toBeUndefined();
  }
  await set.mock.clock.advance(hourMs);
  const { error, job } = await set.step();
  expect(error).toBeInstanceOf(JobTimeoutError);
  expect(error).toMatchObject({ charged: "yes", jobId: "job_1", job: { status: "queued" }, polls: 24 });
  expect(job).toMatchObject({ status: "queued" });
  expect((error as JobTimeoutError).elapsedMs).toBeGreaterThanOrEqual(24 * hourMs);
  set.mock.jobs.succeed("job_1");
  expect(await set.step()).toMatchObject({ status: "succeeded" });
});

test("a deadline that passes while looks fail has the failure as its cause", async () => {
  const set = await SetScene.of(manual());
  await set.step();
  await set.step();
  set.mock.fault("reset", { operation: "getJob" });
  const { error } = await set.step({ options: { timeoutMs: 0 } });
  expect(error).toMatchObject({
    name: "JobTimeoutError",
    message: expect.stringContaining("it was queued when last seen"),
    job: undefined,
    cause: expect.any(ConnectionError),
  });
});

/** Sets the clock of the next machine. */
function setClock(set: SetScene, aheadMs: number): void {
  set.state = { ...set.state, at: (set.state as SetState).at - aheadMs };
}

test("a clock that is ahead makes no job overdue before its delays add up to about `timeoutMs`", async () => {
  const set = await SetScene.of(manual(), { timeoutMs: 600_000 });
  await set.step();
  setClock(set, 25 * hourMs);
  for (;;) {
    const { waitedMs = 0 } = set.state as Accepted;
    const { delayMs = 0, error } = await set.step();
    await set.mock.clock.advance(delayMs);
    if (!error) continue;
    expect(waitedMs).toBeGreaterThan(500_000);
    expect(waitedMs).toBeLessThan(900_000);
    break;
  }
});

test("a clock that is behind does not make a set be looked at over and over", async () => {
  const set = await SetScene.of(timed(600_000, 0));
  await set.step();
  setClock(set, -25 * hourMs);
  await set.end();
  expect(set.looks).toBeLessThan(200);
});

test("times are milliseconds since 1970, and those of fake timers", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const set = await SetScene.of(manual());
  await set.step();
  expect(set.state).toMatchObject({ at: Date.UTC(2031, 0, 1) });
  expect((await set.step({ options: { timeoutMs: 0 } })).error).toMatchObject({ elapsedMs: 0 });
});

test("what is handed in is not changed, whatever else a row has, and a state is plain JSON without key or parameters", async () => {
  const { params, client, mock } = await SetScene.of();
  const states: (SetState | undefined)[] = [];
  let state: SetState | undefined;
  for (let steps = 0; steps < 3; steps++) {
    const handed = { key: "order-7", params, state };
    const copy = structuredClone(handed);
    const result = await stepSet(client, handed, (next) => states.push(next));
    expect(handed).toStrictEqual(copy);
    state = result.state;
    expect(JSON.parse(JSON.stringify(states))).toStrictEqual(states);
    for (const hidden of [mock.clientOptions.apiKey, params.appId]) {
      expect(JSON.stringify([state, states])).not.toContain(hidden);
    }
  }
  expect(states).toHaveLength(3);
});

test("what databases refuse is not stored: NUL and half characters become �, whole ones stay", async () => {
  const text = "a\u0000b \ud83d c 😀 \\u0000 \ude00";
  const cleaned = "a\ufffdb \ufffd c 😀 \\u0000 \ufffd";
  const set = await SetScene.of();
  set.mock.nextJob({ outcome: "failed", error: { message: text, [text]: [text] } });
  set.params = { ...set.params, narrativeId: text } as typeof set.params;
  await set.step();
  const { error } = await set.step();
  expect(set.record).toMatchObject({ params: { narrativeId: cleaned } });
  expect(set.state).toMatchObject({ job: { error: { message: cleaned, [cleaned]: [cleaned] } } });
  expect(error).toMatchObject({ job: { error: { message: cleaned } } });
  expect(await set.step()).toMatchObject({ status: "failed", charged: "yes" });

  const lost = await SetScene.of();
  lost.mock.fault({ status: 503, body: { message: text } }, { operation: "createScreenshots" });
  await lost.step();
  expect(lost.state).toMatchObject({ cause: { message: expect.stringContaining(" \ufffd c 😀") } });
});

test("a client that saw sets end looks when others are likely to end", async () => {
  // Without jitter: an end that is seen late by chance makes a client look as often as before, once.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const mock = timed(30_000, 30_000);
  const client = new ScreenshotSets(mock.clientOptions);
  const looks: number[] = [];
  for (let sets = 0; sets < 12; sets++) {
    const set = await SetScene.of(mock);
    const { steps } = await set.end(client);
    looks.push(steps - 1);
  }
  const [first = 0] = looks;
  expect(first).toBeGreaterThan(20);
  expect(Math.max(...looks.slice(-3))).toBeLessThan((2 / 3) * first);
});

test("a look without a key rejects with the job that was paid for, and changes no record", async () => {
  const set = await SetScene.of();
  await set.step();
  const { record } = set;
  const apiKey = async () => Promise.reject(new Error("no vault"));
  const client = new ScreenshotSets({ ...set.mock.clientOptions, apiKey });
  const error = await rejection(set.step({ client }));
  expect(error).toMatchObject({ name: "ConfigurationError", jobId: "job_1", charged: "yes" });
  expect(set.record).toEqual(record);
});

test("what stands for a client needs no pace of its own, and what it throws may have been charged", async () => {
  const set = await SetScene.of();
  const queued = { id: "job_1", status: "queued", result: null, error: null };
  const create = vi.fn(async () => ({ jobId: "job_1", credits: { cost: 10, remaining: 90 } }));
  const client = { screenshots: { create }, jobs: { get: async () => queued } } as never;
  expect(await set.step({ client })).toMatchObject({ status: "waiting", delayMs: 200 });
  setClock(set, hourMs);
  expect(await set.step({ client })).toMatchObject({ status: "waiting", delayMs: 30_000 });

  const cause = new Error("not ours");
  create.mockRejectedValue(cause);
  set.state = undefined;
  expect(await set.step({ client })).toMatchObject({ status: "uncertain", error: { cause } });
});
