import {
  ConnectionError,
  CreateInterruptedError,
  JobFailedError,
  JobTimeoutError,
  ScreenshotSets,
  ScreenshotSetsError,
} from "screenshot-sets";
import { type SetState, stepSet } from "screenshot-sets/durable";
import { createMock, type Fault, type Mock } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { rejection } from "../helpers/rejection.js";
import { StoredSet } from "../helpers/stored-set.js";

const sent = (mock: Mock, operation: "createScreenshots" | "getJob") => mock.requests({ operation }).length;

test("a new set is recorded, created, recorded as accepted, and waits", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  const result = await set.step();
  expect(set.saved).toEqual([
    { version: 1, step: "sending", at: expect.any(Number) },
    {
      ...{ version: 1, step: "accepted", jobId: "job_1", credits: documentedCredits(10, 90) },
      ...{ at: expect.any(Number), polls: 0, waitedMs: expect.any(Number), unfinishedAt: expect.any(Number) },
    },
  ]);
  expect(result).toEqual({ status: "waiting", state: set.saved[1], delayMs: expect.any(Number) });
  expect(mock.requests({ operation: "createScreenshots" })).toMatchObject([{ body: set.params }]);
});

test("what stands for a client needs no pace of its own", async () => {
  const credits = { cost: 10, remaining: 90 };
  const queued = { id: "job_1", status: "queued", result: null, error: null } as const;
  const client = {
    screenshots: { create: async () => ({ jobId: "job_1", credits }) },
    jobs: { get: async () => queued },
  };
  const params = { appId: "app_1", device: "iphone-69" } as const;
  const { state } = (await stepSet(client as never, { params, state: undefined }, async () => {})) as {
    state: SetState;
  };
  const options = { minDelayMs: 7_000, maxDelayMs: 7_000, timeoutMs: 60_000 };
  const looked = await stepSet(client as never, { params, state }, async () => {}, options);
  expect(looked).toMatchObject({ status: "waiting", delayMs: 7_000 });
});

test("each step of an accepted set is one look, until its job has succeeded", async () => {
  const mock = createMock({ lifecycle: { queued: 20_000, running: 40_000, unit: "ms" } });
  const set = await StoredSet.of(mock);
  for (let steps = 0; ; steps++) {
    const result = await set.step();
    expect(sent(mock, "getJob")).toBe(steps);
    if (result.status === "succeeded") {
      expect(result.job.result.slides).toHaveLength(3);
      break;
    }
    await mock.clock.advance(result.delayMs);
  }
  expect(set.saved).toHaveLength(2);
  expect(sent(mock, "getJob")).toBeLessThan(40);
  expect(mock.credits.used).toBe(10);
});

test("nothing is sent when the record of a create cannot be saved", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  const full = new Error("disk full");
  await expect(set.step({ save: () => Promise.reject(full) })).rejects.toBe(full);
  const thrown = () => {
    throw full;
  };
  await expect(set.step({ save: thrown })).rejects.toBe(full);
  expect(sent(mock, "createScreenshots")).toBe(0);
});

test("an acceptance that cannot be saved is an error that names the job", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  const full = new Error("disk full");
  const save = async (state: SetState | undefined) => {
    if (state?.step === "accepted") throw full;
    await set.save(state);
  };
  const error = await rejection(set.step({ save }));
  expect(error).toBeInstanceOf(CreateInterruptedError);
  expect(error).toMatchObject({ charged: "yes", jobId: "job_1", cause: full });
  expect(error.message).toContain("job_1");
  expect(set.state).toMatchObject({ step: "sending" });
});

test("of several steps at once that save by comparing, one sends", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  let stored: string | undefined;
  const step = () => {
    let mine: string | undefined;
    const save = async (state: SetState | undefined) => {
      if (stored !== mine) throw new Error("changed meanwhile");
      mine = stored = JSON.stringify(state);
    };
    return stepSet(set.client, { params: set.params, state: undefined }, save);
  };
  const ends = await Promise.allSettled([step(), step(), step()]);
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(mock.credits.ledger()).toHaveLength(1);
});

test.each<[string, Fault, number]>([
  ["a 429 that says how long", { status: 429, retryAfter: 7 }, 7_000],
  ["a 429 that says a long time", { status: 429, retryAfter: 3_600 }, 3_600_000],
  ["a 429 that does not say how long", { status: 429 }, 5_000],
])("%s puts a new set back, to be created later", async (_, fault, delayMs) => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  mock.fault(fault, { operation: "createScreenshots" });
  expect(await set.step()).toEqual({ status: "waiting", state: undefined, delayMs });
  expect(set.saved).toEqual([expect.objectContaining({ step: "sending" }), undefined]);
  expect(sent(mock, "createScreenshots")).toBe(1);
  expect(await set.step()).toMatchObject({ status: "waiting", state: { step: "accepted" } });
  expect(mock.credits.used).toBe(10);
});

test("a connection that was never made puts a new set back", async () => {
  const set = await StoredSet.of(createMock());
  // A port that nobody listens on: that of a server that is closed.
  const { url, close } = await createMock().listen();
  await close();
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: url });
  expect(await set.step({ client })).toEqual({ status: "waiting", state: undefined, delayMs: 5_000 });
  expect(set.state).toBeUndefined();
});

test("a failed TLS handshake rejects, charges nothing and may run again", async () => {
  const set = await StoredSet.of(createMock());
  const { url, close } = await createMock().listen();
  onTestFinished(close);
  // A server that does not speak TLS.
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: url.replace("http:", "https:") });
  expect(await rejection(set.step({ client }))).toMatchObject({ name: "ConnectionError", charged: "no" });
  expect(set.saved).toEqual([expect.objectContaining({ step: "sending" }), undefined]);
});

test.each([400, 401, 402, 403, 404, 409, 422])(
  "a create refused with %i rejects, charges nothing and may run again",
  async (status) => {
    const mock = createMock();
    const set = await StoredSet.of(mock);
    mock.fault({ status }, { operation: "createScreenshots" });
    expect(await rejection(set.step())).toMatchObject({ status, charged: "no" });
    expect(set.saved).toEqual([expect.objectContaining({ step: "sending" }), undefined]);
    expect(await set.step()).toMatchObject({ state: { step: "accepted" } });
    expect(mock.credits.ledger()).toHaveLength(1);
  },
);

test("bad parameters and a bad key reject, charge nothing and may run again", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  const params = { ...set.params, count: 11 };
  const error = await rejection(stepSet(set.client, { params, state: set.state }, set.save));
  expect(error).toMatchObject({ name: "InvalidRequestError", charged: "no" });
  const apiKey = () => Promise.reject(new Error("no vault"));
  const client = new ScreenshotSets({ ...mock.clientOptions, apiKey });
  expect(await rejection(set.step({ client }))).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(set.state).toBeUndefined();
  expect(sent(mock, "createScreenshots")).toBe(0);
});

const credits = documentedCredits(10, 0);

test.each<[string, Fault]>([
  ["a reset", "reset"],
  ["an answer that is no JSON", "malformed"],
  ["408", { status: 408 }],
  ["500", { status: 500 }],
  ["503 with a hint", { status: 503, retryAfter: 1 }],
  ["a redirect", { status: 307, headers: { location: "/" } }],
  ["201 without an id", { status: 201, body: { credits } }],
  ["201 with an empty id", { status: 201, body: { jobId: "", credits } }],
  ["201 with an id that leads elsewhere", { status: 201, body: { jobId: "..", credits } }],
])("a create that ends with %s may have been charged, and stays recorded", async (_, fault) => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  mock.fault(fault, { operation: "createScreenshots", when: "after" });
  const error = await rejection(set.step());
  expect(error).toBeInstanceOf(CreateInterruptedError);
  expect(error).toMatchObject({ charged: "maybe", jobId: undefined });
  expect(set.saved).toHaveLength(1);
  expect(await rejection(set.step())).toMatchObject({ charged: "maybe" });
  expect(mock.credits.ledger()).toHaveLength(1);
});

test("a create that fails with an error of somebody else may have been charged", async () => {
  const set = await StoredSet.of(createMock());
  const cause = new Error("not ours");
  const client = { screenshots: { create: () => Promise.reject(cause) } } as never;
  expect(await rejection(set.step({ client }))).toMatchObject({ charged: "maybe", cause });
  expect(set.state).toMatchObject({ step: "sending" });
});

test.each<[string, Fault]>([
  ["without credits", { status: 201, body: { jobId: "job_1" } }],
  ["with odd credits", { status: 200, body: { jobId: "job_1", credits: "ten" } }],
  ["under a status of failure", { status: 500, body: { jobId: "job_1" } }],
  ["with a body that breaks off", { status: 201, body: '{"jobId":"job_1","cred' }],
])("an answer with the id of a job is an acceptance, %s", async (_, fault) => {
  const mock = createMock({ lifecycle: "instant" });
  const set = await StoredSet.of(mock);
  mock.fault(fault, { operation: "createScreenshots", when: "after" });
  expect(await set.step()).toMatchObject({ status: "waiting", state: { step: "accepted", jobId: "job_1" } });
  expect(await set.step()).toMatchObject({ status: "succeeded", job: { id: "job_1" } });
});

test("a rotated key is asked for again, in a create and in a look", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const set = await StoredSet.of(mock);
  const good = mock.keys.create();
  const bad = mock.keys.create();
  mock.keys.revoke(bad);
  for (const status of ["waiting", "succeeded"]) {
    const keys = [bad, good];
    const client = new ScreenshotSets({ ...mock.clientOptions, apiKey: () => keys.shift() as string });
    expect(await set.step({ client })).toMatchObject({ status });
  }
});

test("a refused create whose record cannot be taken back is an error that says so", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  mock.fault({ status: 429 }, { operation: "createScreenshots" });
  const gone = new Error("gone");
  const save = async (state: SetState | undefined) => {
    if (state === undefined) throw gone;
    await set.save(state);
  };
  expect(await rejection(set.step({ save }))).toMatchObject({
    ...{ name: "CreateInterruptedError", charged: "no", cause: gone },
  });
  expect(await rejection(set.step())).toMatchObject({ charged: "maybe" });
});

test("a job that failed rejects, each time", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const set = await StoredSet.of(mock);
  mock.nextJob({ outcome: "failed", error: { message: "no listing" } });
  await set.step();
  for (let steps = 0; steps < 2; steps++) {
    const error = await rejection(set.step());
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({
      charged: "yes",
      jobId: "job_1",
      job: { error: { message: "no listing" } },
    });
  }
  expect(set.saved).toHaveLength(2);
});

test.each<[string, Fault, number | undefined]>([
  ["a reset", "reset", undefined],
  ["408", { status: 408 }, undefined],
  ["429", { status: 429 }, 5_000],
  ["429 that says how long", { status: 429, retryAfter: 90 }, 90_000],
  ["500", { status: 500 }, undefined],
  ["503 that says how long", { status: 503, retryAfter: 20 }, 20_000],
  ["503 that says 0", { status: 503, retryAfter: 0 }, 20],
  ["404 just after the acceptance", { status: 404 }, undefined],
])("a look that meets %s waits", async (_, fault, delayMs) => {
  const mock = createMock({ lifecycle: "instant" });
  const set = await StoredSet.of(mock);
  await set.step();
  mock.fault(fault, { operation: "getJob" });
  const result = await set.step();
  expect(result).toEqual({
    status: "waiting",
    state: expect.objectContaining({ jobId: "job_1", polls: 1 }),
    delayMs: delayMs ?? expect.any(Number),
  });
  expect(sent(mock, "getJob")).toBe(1);
  expect(await set.step()).toMatchObject({ status: "succeeded" });
});

test("an unfinished job is looked at again when the service says", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  await set.step();
  const body = { id: "job_1", status: "queued", result: null, error: null };
  mock.fault({ status: 200, body, retryAfter: 40 }, { operation: "getJob" });
  expect(await set.step()).toMatchObject({ status: "waiting", delayMs: 40_000 });
  // The next look tells when the service said, not how long jobs take.
  expect(set.state).not.toHaveProperty("unfinishedAt");
});

test.each<[string, Fault]>([
  ["401", { status: 401 }],
  ["403", { status: 403 }],
  ["404 long after the acceptance", { status: 404 }],
  ["another job", { status: 200, body: { id: "job_2", status: "queued", result: null, error: null } }],
  ["an answer that is no JSON", "malformed"],
])("a look that meets %s rejects with the job's id, and the next step looks again", async (_, fault) => {
  const mock = createMock({ lifecycle: "instant" });
  const set = await StoredSet.of(mock);
  await set.step();
  await mock.clock.advance(10_001);
  mock.fault(fault, { operation: "getJob", times: 2 });
  for (let steps = 0; steps < 2; steps++) {
    const error = await rejection(set.step());
    expect(error).toBeInstanceOf(ScreenshotSetsError);
    expect(error).toMatchObject({ charged: "yes", jobId: "job_1" });
  }
  expect(set.saved).toHaveLength(2);
  expect(await set.step()).toMatchObject({ status: "succeeded" });
});

test("a job that is unfinished after `timeoutMs` rejects after a look", async () => {
  const mock = createMock({ lifecycle: "manual" });
  const hour = 3_600_000;
  const set = await StoredSet.of(mock, { minDelayMs: hour, maxDelayMs: hour });
  await set.step();
  for (let looks = 1; looks < 24; looks++) {
    await mock.clock.advance(hour);
    expect(await set.step()).toMatchObject({ status: "waiting" });
  }
  await mock.clock.advance(hour);
  const error = await rejection(set.step());
  expect(error).toBeInstanceOf(JobTimeoutError);
  expect(error).toMatchObject({ charged: "yes", jobId: "job_1", job: { status: "queued" }, polls: 24 });
  expect(error.elapsedMs).toBeGreaterThanOrEqual(24 * hour);
  mock.jobs.succeed("job_1");
  expect(await set.step()).toMatchObject({ status: "succeeded" });
});

test.each([60_000, 600_000, undefined])(
  "a clock that is ahead does not end a set before it was waited for (timeoutMs %j)",
  async (timeoutMs) => {
    const mock = createMock({ lifecycle: "manual" });
    const set = await StoredSet.of(mock, { timeoutMs });
    let result = await set.step();
    const ahead = 25 * 3_600_000;
    set.state = { ...set.state, at: (set.state as SetState).at - ahead };
    let waitedMs = 0;
    const error = await rejection(
      (async () => {
        while (result.status === "waiting") {
          waitedMs += result.delayMs;
          result = await set.step();
        }
      })(),
    );
    expect(error).toBeInstanceOf(JobTimeoutError);
    const { length: looks } = mock.requests({ operation: "getJob" });
    expect(looks).toBeGreaterThan(1);
    expect(waitedMs / (timeoutMs ?? 86_400_000)).toBeGreaterThan(0.85);
    expect(waitedMs / (timeoutMs ?? 86_400_000)).toBeLessThan(1.5);
  },
);

test("a clock that is behind does not make a set be looked at over and over", async () => {
  const mock = createMock({ lifecycle: "manual" });
  const set = await StoredSet.of(mock);
  let result = await set.step();
  set.state = { ...set.state, at: (set.state as SetState).at + 25 * 3_600_000 };
  let waitedMs = 0;
  for (; waitedMs < 600_000 && result.status === "waiting"; result = await set.step())
    waitedMs += result.delayMs;
  expect(sent(mock, "getJob")).toBeLessThan(200);
});

test("a deadline that passes while looks fail has the failure as its cause", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  await set.step();
  mock.fault("reset", { operation: "getJob" });
  const error = await rejection(set.step({ options: { timeoutMs: 0 } }));
  expect(error).toMatchObject({
    name: "JobTimeoutError",
    job: undefined,
    cause: expect.any(ConnectionError),
  });
});

test("delays keep to their bounds, also when the clocks of two machines differ", async () => {
  const mock = createMock({ lifecycle: "manual" });
  const set = await StoredSet.of(mock, { minDelayMs: 400, maxDelayMs: 3_000 });
  await set.step();
  const { at } = set.state as SetState;
  for (const apart of [-3_600_000, -1, 0, 1_000, 3_600_000]) {
    set.state = { ...set.state, at: at - apart };
    const result = await set.step();
    if (result.status !== "waiting") throw new Error("Expected it to wait.");
    expect(result.delayMs).toBeGreaterThanOrEqual(400);
    expect(result.delayMs).toBeLessThanOrEqual(3_000);
  }
});

test("times are milliseconds since 1970, and those of fake timers", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
  try {
    const mock = createMock({ lifecycle: "manual" });
    const set = await StoredSet.of(mock);
    const dayMs = 86_400_000;
    await set.step({ options: { minDelayMs: dayMs, maxDelayMs: dayMs } });
    expect(set.saved).toMatchObject([{ at: Date.UTC(2031, 0, 1) }, { at: Date.UTC(2031, 0, 1) }]);
    vi.setSystemTime(Date.UTC(2031, 0, 2));
    expect(await rejection(set.step())).toMatchObject({ name: "JobTimeoutError", elapsedMs: 86_400_000 });
  } finally {
    vi.useRealTimers();
  }
});

test("what is handed in is not changed, and what is saved is plain JSON without key or parameters", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  const params = Object.freeze({ ...set.params, device: "ipad-pro" as const });
  let state: SetState | undefined;
  for (let steps = 0; steps < 3; steps++) {
    const handed = Object.freeze({ params, state: deepFrozen(state) });
    const result = await stepSet(set.client, handed, set.save);
    if (result.status === "waiting") state = result.state;
    for (const one of [state, ...set.saved]) expect(JSON.parse(JSON.stringify(one))).toStrictEqual(one);
    const text = JSON.stringify([state, set.saved]);
    for (const hidden of [mock.clientOptions.apiKey, params.appId, params.device]) {
      expect(text).not.toContain(hidden);
    }
  }
});

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFrozen(part);
  return Object.freeze(value);
}

test("a client that saw sets end looks when others are likely to end", async () => {
  const mock = createMock({ allowance: 1_000, lifecycle: { queued: 30_000, running: 30_000, unit: "ms" } });
  const client = new ScreenshotSets(mock.clientOptions);
  const looks: number[] = [];
  for (let sets = 0; sets < 12; sets++) {
    const set = await StoredSet.of(mock);
    let result = await set.step({ client });
    let steps = 0;
    for (; result.status === "waiting"; steps++) {
      await mock.clock.advance(result.delayMs);
      result = await set.step({ client });
    }
    looks.push(steps);
  }
  const [first = 0] = looks;
  expect(first).toBeGreaterThan(20);
  expect(Math.max(...looks.slice(-3))).toBeLessThan(first / 2);
});

test("a create is recorded as begun only when the client's pause after a 429 is over", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  mock.fault({ status: 429, retryAfter: 30 }, { operation: "createScreenshots" });
  const recordedAt: number[] = [];
  const save = () => recordedAt.push(mock.clock.now());
  const params = { appId, device: "iphone-69" } as const;
  const refusedAt = mock.clock.now();
  await stepSet(client, { params, state: undefined }, save);
  await stepSet(client, { params, state: undefined }, save);
  // Begun and taken back; begun and accepted.
  expect(recordedAt.map((at) => at - refusedAt)).toEqual([0, 0, 30_000, 30_000]);
});
