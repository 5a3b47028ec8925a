import { getEventListeners } from "node:events";
import { CreateInterruptedError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { everySecond, set, waitScene } from "../helpers/wait-scene.js";

const unknown = { status: 404 };

test("polls a job that it created just now a first delay after the acceptance", async () => {
  const scene = waitScene(() => "succeeded");
  const found = await scene.client.screenshots.createAndWait(set, everySecond);
  expect(scene.times()).toEqual([1000]);
  expect(found).toMatchObject({ id: "job-1", status: "succeeded", credits: { cost: 10, remaining: 90 } });
});

test("counts the first delay and the deadline from the acceptance, however long onAccepted takes", async () => {
  const scene = waitScene(() => "running");
  const onAccepted = () => scene.clock.sleep(3500);
  const wait = scene.client.screenshots.createAndWait(set, { ...everySecond, timeoutMs: 10_000, onAccepted });
  const error = await rejection(wait);
  expect(scene.times()).toEqual([3500, 4500, 5500, 6500, 7500, 8500, 9500]);
  expect(error).toMatchObject({ name: "JobTimeoutError", charged: "yes", jobId: "job-1", elapsedMs: 10_000 });
  expect([scene.now(), scene.log]).toEqual([10_000, []]);
});

const wentOn = ["Went on without waiting for onAccepted any longer", { jobId: "job-1" }];

test("ends at its deadline without a poll when onAccepted takes longer, and logs what that throws then", async () => {
  const scene = waitScene(() => "succeeded");
  const late = new Error("late");
  const onAccepted = () => scene.clock.sleep(5000).then(() => Promise.reject(late));
  const error = await rejection(scene.client.screenshots.createAndWait(set, { timeoutMs: 2000, onAccepted }));
  expect(error).toMatchObject({ name: "JobTimeoutError", charged: "yes", polls: 0, elapsedMs: 2000 });
  expect([error.jobId, scene.log]).toEqual(["job-1", [wentOn]]);
  await scene.clock.advance(5000);
  expect(scene.log.slice(1)).toEqual([
    ["onAccepted threw after a job was accepted", { jobId: "job-1", error: late }],
  ]);
  await scene.expectNothingLeft();
});

test("ends at once when the signal aborts while onAccepted takes its time", async () => {
  const scene = waitScene(() => "succeeded");
  const signal = scene.abortAt(700);
  const onAccepted = () => new Promise(() => {});
  expect(await rejection(scene.client.screenshots.createAndWait(set, { signal, onAccepted }))).toBe("enough");
  expect([scene.now(), scene.log]).toEqual([700, [wentOn]]);
  await scene.expectNothingLeft(signal);
});

test("a mock's virtual time waits for an onAccepted that writes a file", async () => {
  const client = new ScreenshotSets(createMock().clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const onAccepted = () => new Promise((resolve) => setTimeout(resolve, 150));
  const found = await client.screenshots.createAndWait({ ...set, appId }, { onAccepted });
  expect(found.status).toBe("succeeded");
});

test("does not wait when the signal was aborted in onAccepted", async () => {
  const scene = waitScene(() => "succeeded");
  const controller = new AbortController();
  const { signal } = controller;
  const onAccepted = () => controller.abort("enough");
  expect(await rejection(scene.client.screenshots.createAndWait(set, { signal, onAccepted }))).toBe("enough");
  expect(scene.polls).toEqual([]);
  await scene.expectNothingLeft(signal);
});

test("rejects with the job's id and what onAccepted throws, and logs both", async () => {
  const scene = waitScene(() => "succeeded");
  const error = new Error("the database is down");
  const onAccepted = () => Promise.reject(error);
  const rejected = await rejection(scene.client.screenshots.createAndWait(set, { onAccepted }));
  expect(rejected).toBeInstanceOf(CreateInterruptedError);
  expect(rejected).toMatchObject({ charged: "yes", jobId: "job-1", cause: error });
  expect(scene.log).toEqual([["onAccepted threw after a job was accepted", { jobId: "job-1", error }]]);
  expect(scene.polls).toEqual([]);
  await scene.expectNothingLeft();
});

test("has one listener on a signal that many creates and waits share", async () => {
  const { signal } = new AbortController();
  const counts: number[] = [];
  const count = () => void counts.push(getEventListeners(signal, "abort").length);
  const scene = waitScene(({ at }) => {
    count();
    return at < 3000 ? "running" : "succeeded";
  });
  const options = { signal, onAccepted: count, onUpdate: count };
  const creates = Array.from({ length: 20 }, () => scene.client.screenshots.createAndWait(set, options));
  const waits = ["one", "one", "other"].map((id) => scene.client.waitForJob(id, { signal }));
  count();
  await Promise.all([...creates, ...waits]);
  expect(Math.max(...counts)).toBe(1);
  await scene.expectNothingLeft(signal);
});

test.each([
  [{ status: 403 }, "PermissionDeniedError"],
  [{ status: 200, body: "<html>" }, "InvalidResponseError"],
  ["failed", "JobFailedError"],
] as const)("says that a job was charged when the wait for it ends with %j", async (reply, name) => {
  const scene = waitScene(() => reply);
  const error = await rejection(scene.client.screenshots.createAndWait(set));
  expect(error).toMatchObject({ name, charged: "yes", jobId: "job-1" });
});

test("tolerates a 404 for ten seconds after this client created the job, and no longer", async () => {
  const scene = waitScene(() => unknown);
  const error = await rejection(scene.client.screenshots.createAndWait(set, everySecond));
  expect(error).toMatchObject({ name: "NotFoundError", status: 404, charged: "yes", jobId: "job-1" });
  expect(scene.times()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((second) => second * 1000));
});

test("tolerates a 404 in any wait for a job of its own, also one that client.request created", async () => {
  const scene = waitScene(({ at }) => (at < 3000 ? unknown : "succeeded"));
  const body = { ...set, count: 5 };
  const { jobId } = await scene.client.request("POST", "/public/v1/screenshots", { body });
  await scene.client.waitForJob(jobId, everySecond);
  expect(scene.times()).toEqual([0, 1000, 2000, 3000]);
});

test.each([
  [502, "maybe", "tolerates", [0, 1000, 2000, 3000]],
  [409, "no", "believes", [0]],
])(
  "after a %d to a create that names its job, which is charged %s, %s a 404 for that job",
  async (status, charged, _, times) => {
    const creates = { status, body: { jobId: "job-1" } };
    const scene = waitScene(({ at }) => (at < 3000 ? unknown : "succeeded"), { creates });
    const error = await rejection(scene.client.screenshots.create(set));
    expect(error).toMatchObject({ status, charged, jobId: "job-1" });
    await scene.client.waitForJob("job-1", everySecond).catch(() => {});
    expect(scene.times()).toEqual(times);
  },
);

test("ends at once with a 404 for a job that another created", async () => {
  const scene = waitScene(() => unknown);
  await scene.client.screenshots.create(set);
  const error = await rejection(scene.client.waitForJob("job-of-yesterday", everySecond));
  expect(error).toMatchObject({ name: "NotFoundError", charged: "no", jobId: "job-of-yesterday" });
  expect(scene.polls).toHaveLength(1);
});

test("goes on with the pace of the job's age in a wait that begins later", async () => {
  const scene = waitScene(({ at }) => (at < 140_000 ? "running" : "succeeded"));
  const { jobId } = await scene.client.screenshots.create(set);
  await scene.clock.advance(100_000);
  await scene.client.waitForJob(jobId);
  const [first, second] = scene.times() as [number, number];
  expect(first).toBe(100_000);
  // At 100 s that is 6 s, give or take a tenth.
  expect(second - first).toBeGreaterThanOrEqual(5400);
  expect(second - first).toBeLessThanOrEqual(6600);
});
