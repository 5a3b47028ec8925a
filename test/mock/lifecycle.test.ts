import { createMock, type Lifecycle } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking, day, second } from "./ask.js";

async function startJob(lifecycle?: Lifecycle) {
  const mock = createMock(lifecycle && { lifecycle });
  const { createJob, look } = asking(mock);
  const jobId = await createJob();
  const poll = async () => (await look(jobId)).body.status;
  return { mock, jobId, poll, peek: () => mock.jobs.get(jobId).status };
}

test("is queued at the first look, running at the second and at its end at the third", async () => {
  const { poll } = await startJob();

  expect([await poll(), await poll(), await poll(), await poll()]).toEqual([
    "queued",
    "running",
    "succeeded",
    "succeeded",
  ]);
});

test("counts as many polls as it is told to", async () => {
  const { poll } = await startJob({ queued: 0, running: 2, unit: "polls" });

  expect([await poll(), await poll(), await poll()]).toEqual(["running", "running", "succeeded"]);
});

test.each([
  "instant",
  { queued: 0, running: 0, unit: "polls" },
  { queued: 0, running: 0, unit: "ms" },
] as const)("is at its end at the first look with %j", async (lifecycle) => {
  const { poll, peek } = await startJob(lifecycle);

  expect([peek(), await poll()]).toEqual(["succeeded", "succeeded"]);
});

test("runs on the mock's clock, however it is looked at", async () => {
  const { mock, poll, peek } = await startJob({ queued: 10 * second, running: 20 * second, unit: "ms" });
  const seen: string[] = [];

  for (const ms of [0, 9_999, 1, 19_999, 1]) {
    await mock.clock.advance(ms);
    seen.push(await poll(), peek());
  }

  expect(seen.filter((_, index) => index % 2 === 0)).toEqual([
    "queued",
    "queued",
    "running",
    "running",
    "succeeded",
  ]);
  expect(seen.filter((_, index) => index % 2 === 1)).toEqual(seen.filter((_, index) => index % 2 === 0));
});

test("leaves no job half-way when the time jumps by a day", async () => {
  const { mock, peek } = await startJob({ queued: 10 * second, running: 20 * second, unit: "ms" });

  await mock.clock.advance(day);

  expect(peek()).toBe("succeeded");
});

test("stays as it is in the manual lifecycle until it is moved, step by step", async () => {
  const { mock, jobId, poll } = await startJob("manual");
  const seen = [await poll(), await poll(), await poll(), await poll()];
  await mock.clock.advance(day);

  mock.jobs.advance(jobId);
  seen.push(await poll());
  mock.jobs.advance(jobId);
  seen.push(await poll());

  expect(seen).toEqual(["queued", "queued", "queued", "queued", "running", "succeeded"]);
});

test("moves to the end that was planned", async () => {
  const mock = createMock({ lifecycle: "manual" });
  mock.nextJob({ outcome: "failed", error: { reason: "planned" } });
  const jobId = await asking(mock).createJob();

  mock.jobs.advance(jobId);
  mock.jobs.advance(jobId);

  expect(mock.jobs.get(jobId)).toMatchObject({ status: "failed", error: { reason: "planned" } });
});

test("can be moved by hand in a lifecycle of polls, and then runs for as many as it was to", async () => {
  const { mock, jobId, poll } = await startJob({ queued: 3, running: 2, unit: "polls" });

  const before = await poll();
  mock.jobs.advance(jobId);

  expect(before).toBe("queued");
  expect([await poll(), await poll(), await poll()]).toEqual(["running", "running", "succeeded"]);
});

test("can be moved by hand in a lifecycle of time, and then runs for as long as it was to", async () => {
  const { mock, jobId, peek } = await startJob({ queued: day, running: 10 * second, unit: "ms" });

  await mock.clock.advance(5 * second);
  mock.jobs.advance(jobId);
  const seen = [peek()];
  await mock.clock.advance(10 * second - 1);
  seen.push(peek());
  await mock.clock.advance(1);
  seen.push(peek());

  expect(seen).toEqual(["running", "running", "succeeded"]);
});

test("is moved to its end by hand where it was not to run at all", async () => {
  const { mock, jobId, peek } = await startJob({ queued: 3, running: 0, unit: "polls" });

  mock.jobs.advance(jobId);

  expect(peek()).toBe("succeeded");
});

test("takes an object for the error of a job, and nothing else", async () => {
  const { mock, jobId, peek } = await startJob("manual");

  for (const error of ["text", null, 5] as never[]) {
    expect(() => mock.jobs.fail(jobId, error)).toThrow(TypeError);
  }

  expect(peek()).toBe("queued");
});

test("fails with the error that is given, or with an empty one, and succeeds with its slides", async () => {
  const mock = createMock({ lifecycle: "manual" });
  const { createJob } = asking(mock);
  const [failed, bare, succeeded] = [await createJob(), await createJob(), await createJob()];

  mock.jobs.fail(failed, { reason: "by hand" });
  mock.jobs.fail(bare);
  mock.jobs.succeed(succeeded);

  expect(mock.jobs.get(failed)).toMatchObject({
    status: "failed",
    result: null,
    error: { reason: "by hand" },
  });
  expect(mock.jobs.get(bare)).toMatchObject({ status: "failed", error: {} });
  expect(mock.jobs.get(succeeded)).toMatchObject({ status: "succeeded", result: { slides: { length: 3 } } });
});

test("never leaves its end", async () => {
  const { mock, jobId, peek } = await startJob("manual");
  mock.jobs.succeed(jobId);

  const already = (action: string) =>
    `Failed to ${action} the job ${jobId}: it has succeeded already. Please use the "manual" lifecycle`;
  expect(() => mock.jobs.fail(jobId)).toThrow(already("fail"));
  expect(() => mock.jobs.succeed(jobId)).toThrow(already("complete"));
  expect(() => mock.jobs.advance(jobId)).toThrow(already("advance"));
  expect(peek()).toBe("succeeded");
});

test("says so when there is no such job", () => {
  const { jobs } = createMock();

  expect(() => jobs.get("job_9")).toThrow(/^Failed to find the job job_9: .*no such job.*Please/);
  expect(() => jobs.advance("job_9")).toThrow("Failed to advance the job job_9");
  expect(() => jobs.fail("job_9")).toThrow("Failed to fail the job job_9");
  expect(() => jobs.succeed("job_9")).toThrow("Failed to complete the job job_9");
});

test("takes a look through `mock.jobs` for no poll", async () => {
  const { poll, peek } = await startJob();

  const seen = [
    peek(),
    peek(),
    peek(),
    await poll(),
    peek(),
    peek(),
    await poll(),
    peek(),
    await poll(),
    peek(),
  ];

  expect(seen).toEqual([
    "queued",
    "queued",
    "queued",
    "queued",
    "queued",
    "queued",
    "running",
    "running",
    "succeeded",
    "succeeded",
  ]);
});

test("takes refused and faulted reads for no poll, and slow ones for one", async () => {
  const mock = createMock();
  const { createJob, look } = asking(mock);
  const jobId = await createJob();
  const unread = () => look(jobId).catch(() => undefined);

  await look(jobId, { headers: {} });
  await look(jobId, { headers: { "x-api-key": "wrong" } });
  for (const when of ["before", "after"] as const) {
    mock.fault({ status: 503 }, { when });
    mock.fault("reset", { when });
    mock.fault("malformed", { when });
    mock.fault("truncated", { when });
    for (let read = 0; read < 4; read++) await unread();
  }
  mock.fault({ latencyMs: 10 });
  mock.fault({ latencyMs: 10 }, { when: "after" });

  const seen = [await look(jobId), await look(jobId), await look(jobId)];
  expect(seen.map(({ body }) => body.status)).toEqual(["queued", "running", "succeeded"]);
});

test("plans jobs in order, and lets refused requests use no plan up", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const { createApp, createSet } = asking(mock);
  const appId = await createApp();
  const slides = [{ any: "thing" }, "even this"];
  mock.nextJob({ outcome: "failed", error: { first: true } });
  mock.nextJob({ outcome: "succeeded", slides });
  mock.nextJob({ outcome: "succeeded", lifecycle: "manual" });

  await createSet(appId, { count: 99 });
  await createSet("app_99");
  mock.fault({ status: 503 });
  await createSet(appId);
  for (let set = 0; set < 4; set++) await createSet(appId);

  expect(mock.jobs.get("job_1")).toMatchObject({ status: "failed", error: { first: true } });
  expect(mock.jobs.get("job_2").result).toEqual({ device: "iphone-69", slides });
  expect(mock.jobs.get("job_3").status).toBe("queued");
  expect(mock.jobs.get("job_4").status).toBe("succeeded");
});

test("refuses plans and faults that no answer could carry", () => {
  expect(() => createMock().nextJob({ outcome: "succeeded", slides: [10n] })).toThrow("BigInt");
  expect(() => createMock().fault({ status: 503, body: 10n })).toThrow("BigInt");
});

test("shares nothing with the plans that it was given, or with the jobs that it shows", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const { createApp, createSet, look } = asking(mock);
  const appId = await createApp();
  const slides = [{ caption: "planned" }];
  const [planned, given] = [{ reason: "planned" }, { reason: "given" }];
  mock.nextJob({ outcome: "succeeded", slides });
  mock.nextJob({ outcome: "failed", error: planned });
  const lifecycle: Lifecycle = { queued: 0, running: 1, unit: "polls" };
  mock.nextJob({ outcome: "succeeded", lifecycle });
  for (let set = 0; set < 4; set++) await createSet(appId);
  mock.jobs.fail("job_3", given);
  mock.nextJob({ outcome: "succeeded", lifecycle });
  lifecycle.running = 9;
  await createSet(appId);

  for (const one of [...slides, planned, given])
    Object.assign(one, { caption: "changed", reason: "changed" });
  for (const id of ["job_1", "job_4"]) (mock.jobs.get(id).result?.slides as unknown[]).length = 0;

  expect((await look("job_1")).body.result.slides).toEqual([{ caption: "planned" }]);
  expect((await look("job_2")).body.error).toMatchObject({ reason: "planned" });
  expect((await look("job_3")).body.error).toMatchObject({ reason: "given" });
  expect((await look("job_4")).body.result.slides).toHaveLength(3);
  expect([(await look("job_5")).body.status, (await look("job_5")).body.status]).toEqual([
    "running",
    "succeeded",
  ]);
  (mock.requests()[0]?.body as { iosUrl: string }).iosUrl = "changed";
  expect(mock.requests()[0]?.body).not.toMatchObject({ iosUrl: "changed" });
});

test.each([
  [{}, "outcome"],
  [{ outcome: "lost" }, "outcome"],
  [{ outcome: "failed", lifecycle: "slow" }, "lifecycle"],
  [{ outcome: "failed", lifecycle: null }, "lifecycle"],
  [{ outcome: "failed", lifecycle: { queued: "1", running: 1, unit: "ms" } }, "lifecycle"],
  [{ outcome: "failed", lifecycle: { queued: 1, running: 1, unit: "ms", failing: 1 } }, "failing"],
  [{ outcome: "failed", error: "text" }, "error"],
  [{ outcome: "failed", error: [] }, "error"],
  [{ outcome: "succeeded", slides: 3 }, "slides"],
])("refuses the plan %j, naming what is wrong", (plan, name) => {
  expect(() => createMock().nextJob(plan as never)).toThrow(name);
});
