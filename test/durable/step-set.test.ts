import {
  ConnectionError,
  CreateInterruptedError,
  JobFailedError,
  JobTimeoutError,
  ScreenshotSets,
  ScreenshotSetsError,
} from "screenshot-sets";
import { type SetState, type StepResult, stepSet } from "screenshot-sets/durable";
import { createMock, type Fault } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { rejection } from "../helpers/rejection.js";
import { StoredSet } from "../helpers/stored-set.js";

const instant = () => createMock({ lifecycle: "instant" });
const manual = () => createMock({ lifecycle: "manual" });
type Accepted = Extract<SetState, { step: "accepted" }>;
const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** How long the record of a create counts as young, with a client's usual time-out. */
const youngMs = 180_000;

/** What is saved when a create was refused: the record, and that it was taken back. */
const takenBack = [expect.objectContaining({ step: "sending" }), undefined];

test("a new set is recorded, created, recorded as accepted, and waits", async () => {
  const set = await StoredSet.of();
  const result = await set.step();
  expect(set.saved).toEqual([
    { version: 1, step: "sending", at: expect.any(Number), mark: expect.any(String) },
    {
      ...{ version: 1, step: "accepted", jobId: "job_1", credits: documentedCredits(10, 90) },
      ...{ at: expect.any(Number), polls: 0, waitedMs: expect.any(Number), unfinishedAt: expect.any(Number) },
    },
  ]);
  expect(result).toEqual({ status: "waiting", state: set.saved[1], delayMs: expect.any(Number) });
  expect(set.mock.requests({ operation: "createScreenshots" })).toMatchObject([{ body: set.params }]);
});

test("what stands for a client needs no pace of its own", async () => {
  const set = await StoredSet.of();
  const queued = { id: "job_1", status: "queued", result: null, error: null };
  const client = {
    screenshots: { create: async () => ({ jobId: "job_1", credits: { cost: 10, remaining: 90 } }) },
    jobs: { get: async () => queued },
  } as never;
  expect(await set.step({ client })).toMatchObject({ status: "waiting", delayMs: 200 });
  set.state = { ...set.state, at: Date.now() - hourMs };
  expect(await set.step({ client })).toMatchObject({ status: "waiting", delayMs: 30_000 });
});

test("each step of an accepted set is one look, until its job has succeeded", async () => {
  const set = await StoredSet.of(createMock({ lifecycle: { queued: 20_000, running: 40_000, unit: "ms" } }));
  const { job, steps } = await set.end();
  expect(job.result.slides).toHaveLength(3);
  // The record, the acceptance, and what each look but the last has found.
  expect({ looks: set.looks, saves: set.saved.length }).toEqual({ looks: steps - 1, saves: steps });
  expect(set.looks).toBeLessThan(40);
  expect(set.mock.credits.used).toBe(10);
});

test("nothing is sent when the record of a create cannot be saved", async () => {
  const set = await StoredSet.of();
  const full = new Error("disk full");
  await expect(set.step({ save: () => Promise.reject(full) })).rejects.toBe(full);
  expect(set.creates).toBe(0);
});

test.each([
  ["acceptance", { charged: "yes", jobId: "job_1", message: expect.stringContaining("job_1") }],
  ["refusal", { charged: "no", message: expect.stringContaining("remove the state") }],
])("an %s that cannot be saved is an error that says what was charged", async (outcome, facts) => {
  const set = await StoredSet.of();
  if (outcome === "refusal") set.mock.fault({ status: 429 }, { operation: "createScreenshots" });
  const cause = new Error("disk full");
  const save = async (state: SetState | undefined) => {
    if (state?.step !== "sending") throw cause;
    await set.save(state);
  };
  const error = await rejection(set.step({ save }));
  expect(error).toBeInstanceOf(CreateInterruptedError);
  expect(error).toMatchObject({ ...facts, cause });
  await set.mock.clock.advance(youngMs);
  expect(await rejection(set.step())).toMatchObject({ charged: "maybe" });
});

test("the id of a paid job that cannot be stored is logged", async () => {
  const set = await StoredSet.of();
  const lines: unknown[] = [];
  const error = (...line: unknown[]) => void lines.push(line);
  const logger = { debug() {}, info() {}, warn() {}, error };
  const client = set.client.withOptions({ logger });
  const full = new Error("disk full");
  const save = async (state: SetState | undefined) => {
    if (state?.step === "accepted") throw full;
  };
  await rejection(set.step({ client, save }));
  expect(lines).toEqual([["The id of a paid job could not be stored", { jobId: "job_1", error: full }]]);
});

test.each<[string, Fault, number]>([
  ["a 429 that says how long", { status: 429, retryAfter: 3_600 }, hourMs],
  ["a 429 that does not say how long", { status: 429 }, 5_000],
])("%s puts a new set back, to be created later", async (_, fault, delayMs) => {
  const set = await StoredSet.of();
  set.mock.fault(fault, { operation: "createScreenshots" });
  expect(await set.step()).toEqual({ status: "waiting", state: undefined, delayMs });
  expect(set.saved).toEqual(takenBack);
  expect(set.creates).toBe(1);
  expect(await set.step()).toMatchObject({ status: "waiting", state: { step: "accepted" } });
  expect(set.mock.credits.used).toBe(10);
});

test.each([400, 401, 402])(
  "a create refused with %i rejects, charges nothing and may run again",
  async (status) => {
    const set = await StoredSet.of();
    set.mock.fault({ status }, { operation: "createScreenshots" });
    expect(await rejection(set.step())).toMatchObject({ status, charged: "no" });
    expect(set.saved).toEqual(takenBack);
    expect(await set.step()).toMatchObject({ state: { step: "accepted" } });
    expect(set.mock.credits.ledger()).toHaveLength(1);
  },
);

test("a connection that was never made puts a new set back; a failed TLS handshake rejects", async () => {
  const set = await StoredSet.of();
  const { url, close } = await set.mock.listen();
  await close();
  const expired = Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: expired }));
  const tls = set.client.withOptions({ fetch });
  expect(await rejection(set.step({ client: tls }))).toMatchObject({
    ...{ name: "ConnectionError", charged: "no" },
  });
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: url });
  expect(await set.step({ client })).toEqual({ status: "waiting", state: undefined, delayMs: 5_000 });
  expect(set.saved).toEqual([...takenBack, ...takenBack]);
});

test("bad parameters and a bad key reject, charge nothing and may run again", async () => {
  const set = await StoredSet.of();
  const params = { ...set.params, count: 11 };
  const error = await rejection(stepSet(set.client, { params, state: set.state }, set.save));
  expect(error).toMatchObject({ name: "InvalidRequestError", charged: "no" });
  const apiKey = () => Promise.reject(new Error("no vault"));
  const client = new ScreenshotSets({ ...set.mock.clientOptions, apiKey });
  expect(await rejection(set.step({ client }))).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(set.state).toBeUndefined();
  expect(set.creates).toBe(0);
});

test.each<[string, Fault]>([
  ["a reset", "reset"],
  ["503 with a hint", { status: 503, retryAfter: 1 }],
  ["a redirect", { status: 307, headers: { location: "/" } }],
  ["201 with an id that leads elsewhere", { status: 201, body: { jobId: ".." } }],
])("a create that ends with %s may have been charged, and stays recorded", async (_, fault) => {
  const set = await StoredSet.of();
  set.mock.fault(fault, { operation: "createScreenshots", when: "after" });
  const error = await rejection(set.step());
  expect(error).toBeInstanceOf(CreateInterruptedError);
  expect(error).toMatchObject({ charged: "maybe", jobId: undefined });
  expect(error.message).toMatch(/^A create failed .* compare the account's credits .*\(.+\)$/);
  await set.mock.clock.advance(youngMs);
  expect(await rejection(set.step())).toMatchObject({ charged: "maybe" });
  expect(set.saved).toHaveLength(1);
  expect(set.mock.credits.ledger()).toHaveLength(1);
});

test("a create that fails with an error of somebody else may have been charged", async () => {
  const set = await StoredSet.of();
  const cause = new Error("not ours");
  const client = { screenshots: { create: () => Promise.reject(cause) } } as never;
  expect(await rejection(set.step({ client }))).toMatchObject({ charged: "maybe", cause });
  expect(set.state).toMatchObject({ step: "sending" });
});

test.each<[string, Fault]>([
  ["without credits", { status: 201, body: { jobId: "job_1" } }],
  ["under a status of failure", { status: 500, body: { jobId: "job_1" } }],
  ["with a body that breaks off", { status: 201, body: '{"jobId":"job_1","cred' }],
])("an answer with the id of a job is an acceptance, %s", async (_, fault) => {
  const set = await StoredSet.of(instant());
  set.mock.fault(fault, { operation: "createScreenshots", when: "after" });
  expect(await set.step()).toMatchObject({ status: "waiting", state: { step: "accepted", jobId: "job_1" } });
  expect(await set.step()).toMatchObject({ status: "succeeded", job: { id: "job_1" } });
});

test("a job that failed rejects, each time", async () => {
  const set = await StoredSet.of(instant());
  const job = { error: { message: "no listing" } };
  set.mock.nextJob({ outcome: "failed", ...job });
  await set.step();
  for (let steps = 0; steps < 2; steps++) {
    const error = await rejection(set.step());
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({ charged: "yes", jobId: "job_1", job });
  }
  expect(set.saved).toHaveLength(2);
});

/** A job that is not known to have ended. */
const jobOf = (status: string, more: object = {}) => ({
  ...{ status: 200, body: { id: "job_1", status, result: null, error: null, ...more } },
});

test("a set whose job has an unknown status fails with an error, succeeds with a result, and else waits", async () => {
  const set = await StoredSet.of();
  await set.step();
  const result = { device: "iphone-69", slides: [] };
  for (const more of [{}, { error: { message: "no listing" } }, { result }]) {
    set.mock.fault(jobOf("archived", more), { operation: "getJob" });
  }
  expect(await set.step()).toMatchObject({ status: "waiting", state: { status: "archived" } });
  expect(await rejection(set.step())).toMatchObject({ name: "JobFailedError", charged: "yes" });
  expect(await set.step()).toMatchObject({ status: "succeeded", job: { status: "archived", result } });
});

test.each<[string, Fault, number | undefined]>([
  ["a reset", "reset", undefined],
  ["429", { status: 429 }, 5_000],
  ["503 that says how long", { status: 503, retryAfter: 90 }, 90_000],
  ["503 that says 0", { status: 503, retryAfter: 0 }, 20],
  ["404 just after the acceptance", { status: 404 }, undefined],
  ["an unfinished job and when to look again", { ...jobOf("queued"), retryAfter: 40 }, 40_000],
])("a look that meets %s waits", async (_, fault, delayMs) => {
  const set = await StoredSet.of(instant());
  await set.step();
  set.mock.fault(fault, { operation: "getJob" });
  const { waitedMs = 0, unfinishedAt } = set.state as Accepted;
  const result = (await set.step()) as StepResult & { status: "waiting" };
  expect(result.delayMs).toEqual(delayMs ?? expect.any(Number));
  expect(result.state).toMatchObject({ jobId: "job_1", polls: 1, waitedMs: waitedMs + result.delayMs });
  // A look at the time that the service says does not tell how long jobs take.
  const after = set.state as Accepted;
  expect(after.unfinishedAt).toBe(delayMs === undefined ? unfinishedAt : undefined);
  expect(set.looks).toBe(1);
  expect(await set.step()).toMatchObject({ status: "succeeded" });
});

test.each<[string, Fault]>([
  ["401", { status: 401 }],
  ["404 long after the acceptance", { status: 404 }],
  ["another job", jobOf("queued", { id: "job_2" })],
])("a look that meets %s rejects with the job's id, and the next step looks again", async (_, fault) => {
  const set = await StoredSet.of(instant());
  await set.step();
  await set.mock.clock.advance(10_001);
  set.mock.fault(fault, { operation: "getJob", times: 2 });
  for (let steps = 0; steps < 2; steps++) {
    const error = await rejection(set.step());
    expect(error).toBeInstanceOf(ScreenshotSetsError);
    expect(error).toMatchObject({ charged: "yes", jobId: "job_1" });
  }
  expect(set.saved).toHaveLength(2);
  expect(await set.step()).toMatchObject({ status: "succeeded" });
});

test("a job that is unfinished after `timeoutMs` rejects after a look", async () => {
  const set = await StoredSet.of(manual(), { minDelayMs: hourMs, maxDelayMs: hourMs });
  await set.step();
  for (let looks = 1; looks < 24; looks++) {
    await set.mock.clock.advance(hourMs);
    expect(await set.step()).toMatchObject({ status: "waiting" });
  }
  await set.mock.clock.advance(hourMs);
  const error = await rejection(set.step());
  expect(error).toBeInstanceOf(JobTimeoutError);
  expect(error).toMatchObject({ charged: "yes", jobId: "job_1", job: { status: "queued" }, polls: 24 });
  expect(error.elapsedMs).toBeGreaterThanOrEqual(dayMs);
  set.mock.jobs.succeed("job_1");
  expect(await set.step()).toMatchObject({ status: "succeeded" });
});

test("a deadline that passes while looks fail has the failure as its cause", async () => {
  const set = await StoredSet.of();
  await set.step();
  set.mock.fault("reset", { operation: "getJob" });
  const error = await rejection(set.step({ options: { timeoutMs: 0 } }));
  const cause = expect.any(ConnectionError);
  expect(error).toMatchObject({ name: "JobTimeoutError", job: undefined, cause });
});

/** Sets the clock of the next machine. */
function setClock(set: StoredSet, aheadMs: number): void {
  set.state = { ...set.state, at: (set.state as SetState).at - aheadMs };
}

test("a clock that is ahead does not end a set before it was waited for", async () => {
  const set = await StoredSet.of(manual(), { timeoutMs: 600_000 });
  await set.step();
  setClock(set, 25 * hourMs);
  expect(await rejection(set.end())).toBeInstanceOf(JobTimeoutError);
  const { waitedMs = 0 } = set.state as Accepted;
  expect(waitedMs).toBeGreaterThan(500_000);
  expect(waitedMs).toBeLessThan(900_000);
});

test("a clock that is behind does not make a set be looked at over and over", async () => {
  const set = await StoredSet.of(createMock({ lifecycle: { queued: 600_000, running: 0, unit: "ms" } }));
  await set.step();
  setClock(set, -25 * hourMs);
  await set.end();
  expect(set.looks).toBeLessThan(200);
});

test("times are milliseconds since 1970, and those of fake timers", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const set = await StoredSet.of();
  await set.step();
  expect(set.saved).toMatchObject([{ at: Date.UTC(2031, 0, 1) }, { at: Date.UTC(2031, 0, 1) }]);
  const error = await rejection(set.step({ options: { timeoutMs: 0 } }));
  expect(error).toMatchObject({ name: "JobTimeoutError", elapsedMs: 0 });
});

test("what is handed in is not changed, and what is saved is plain JSON without key or parameters", async () => {
  const set = await StoredSet.of();
  const { params, client } = set;
  let state: SetState | undefined;
  for (let steps = 0; steps < 3; steps++) {
    const handed = { params, state };
    const copy = structuredClone(handed);
    const result = await stepSet(client, handed, set.save);
    expect(handed).toStrictEqual(copy);
    if (result.status === "waiting") state = result.state;
    const stored = [state, ...set.saved];
    expect(JSON.parse(JSON.stringify(stored))).toStrictEqual(stored);
    for (const hidden of [set.mock.clientOptions.apiKey, params.appId, params.device]) {
      expect(JSON.stringify(stored)).not.toContain(hidden);
    }
  }
});

test("a client that saw sets end looks when others are likely to end", async () => {
  const mock = createMock({ allowance: 1_000, lifecycle: { queued: 30_000, running: 30_000, unit: "ms" } });
  const client = new ScreenshotSets(mock.clientOptions);
  const looks: number[] = [];
  for (let sets = 0; sets < 12; sets++) {
    const set = await StoredSet.of(mock);
    const { steps } = await set.end(client);
    looks.push(steps - 1);
  }
  const [first = 0] = looks;
  expect(first).toBeGreaterThan(20);
  expect(Math.max(...looks.slice(-3))).toBeLessThan(first / 2);
});

test("a create is recorded as begun only when the client's pause after a 429 is over", async () => {
  const set = await StoredSet.of();
  const { client, mock } = set;
  mock.fault({ status: 429, retryAfter: 30 }, { operation: "createScreenshots" });
  const recordedAt: number[] = [];
  const refusedAt = mock.clock.now();
  const save = async () => void recordedAt.push(mock.clock.now() - refusedAt);
  await set.step({ client, save });
  await set.step({ client, save });
  // Begun and taken back; begun and accepted.
  expect(recordedAt).toEqual([0, 0, 30_000, 30_000]);
});

test("what a look found is saved, and a store that has another state by then rejects", async () => {
  const set = await StoredSet.of(manual());
  await set.step();
  const taken = new Error("another step was first");
  expect(await rejection(set.step({ save: () => Promise.reject(taken) }))).toBe(taken);
  await set.step();
  expect(set.saved.at(-1)).toMatchObject({ step: "accepted", polls: 1, status: "queued" });
});

test.each<[ageMs: number, timeoutMs: number, isYoung: boolean]>([
  [0, 60_000, true],
  [179_000, 60_000, true],
  [181_000, 60_000, false],
  // The clock of whoever wrote it is ahead.
  [-179_000, 60_000, true],
  [-181_000, 60_000, false],
  // A create may take as long as its client lets it, but nobody waits for hours.
  [119_000, 1_000, true],
  [124_000, 1_000, false],
  [719_000, 3_600_000, true],
  [721_000, Number.POSITIVE_INFINITY, false],
])(
  "a record that is %d ms old, with a time-out of %d ms, is young: %s",
  async (ageMs, timeoutMs, isYoung) => {
    const set = await StoredSet.of();
    const state = { version: 1, step: "sending", at: Date.now() - ageMs, mark: "a mark" };
    set.state = state;
    const step = set.step({ client: set.client.withOptions({ timeoutMs }) });
    if (isYoung) {
      const delayMs = expect.toSatisfy((ms: number) => ms > 0 && ms <= 5_000);
      expect(await step).toEqual({ status: "waiting", state, delayMs });
    } else {
      const error = await rejection(step);
      expect(error).toBeInstanceOf(CreateInterruptedError);
      expect(error).toMatchObject({ charged: "maybe" });
    }
    expect([set.creates, set.saved]).toEqual([0, []]);
  },
);

/** A client whose requests may take any time. */
const clientThrough = ({ client }: StoredSet, fetch: typeof globalThis.fetch) =>
  client.withOptions({ fetch, clock: { now: () => 0, sleep: () => new Promise<never>(() => {}) } });

test("a second delivery during a create waits, and the set then ends by its one job", async () => {
  const set = await StoredSet.of(instant());
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { fetch } = set.mock;
  const slow = clientThrough(set, (...request) => isAnswered.then(() => fetch(...request)));
  const first = set.step({ client: slow });
  await vi.waitFor(() => expect(set.saved).toHaveLength(1));
  expect(await set.step()).toMatchObject({ status: "waiting", state: { step: "sending" } });
  answer();
  expect(await first).toMatchObject({ status: "waiting", state: { step: "accepted" } });
  expect(await set.step()).toMatchObject({ status: "succeeded" });
  expect([set.creates, set.saved.length]).toEqual([1, 2]);
});

test.each([20_000, 90_000])(
  "a create that does not leave, as its key does not come, is taken back (time-out %i ms)",
  async (timeoutMs) => {
    const set = await StoredSet.of();
    const apiKey = () => new Promise<never>(() => {});
    const client = set.client.withOptions({ apiKey, timeoutMs });
    expect(await set.step({ client })).toEqual({ status: "waiting", state: undefined, delayMs: 5_000 });
    expect(set.saved).toEqual(takenBack);
    expect(set.creates).toBe(0);
  },
);

test("a create whose record took longer than a minute to save is taken back", async () => {
  const set = await StoredSet.of();
  const save = async (state: SetState | undefined) => {
    await set.save(state);
    if (state) await set.mock.clock.advance(60_000);
  };
  const client = set.client;
  expect(await set.step({ client, save })).toMatchObject({ status: "waiting", state: undefined });
  expect(set.saved).toEqual(takenBack);
  expect(set.creates).toBe(0);
});

test("two steps never write the same record", async () => {
  const sets = [await StoredSet.of(), await StoredSet.of()];
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const set of sets) await set.step();
  const [[one], [other]] = sets.map(({ saved }) => saved) as [SetState[], SetState[]];
  expect(one?.at).toBe(other?.at);
  expect(one).not.toEqual(other);
});
