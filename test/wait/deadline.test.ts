import { expect, test } from "vitest";
import { heldUpScene } from "../helpers/held-up-clock.js";
import { rejection } from "../helpers/rejection.js";
import { everySecond, job, waitScene } from "../helpers/wait-scene.js";

const tenSeconds = { ...everySecond, timeoutMs: 10_000 };
const endless = Number.POSITIVE_INFINITY;

/** A wait whose last poll is answered, with the end of the job, so long after it was sent. */
const lastAnswerAfter = (takesMs: number) => {
  const last = { status: 200, body: job("job-1", "succeeded"), takesMs };
  const scene = waitScene(({ at }) => (at < 9500 ? "running" : last));
  return { scene, wait: scene.client.waitForJob("job-1", tenSeconds) };
};

test("takes an answer that comes just before the deadline", async () => {
  const { scene, wait } = lastAnswerAfter(499);
  expect((await wait).status).toBe("succeeded");
  expect(scene.now()).toBe(9999);
  await scene.expectNothingLeft();
});

test("ends at the deadline when the last answer has not come", async () => {
  const { scene, wait } = lastAnswerAfter(500);
  const error = await rejection(wait);
  expect(error).toMatchObject({
    name: "JobTimeoutError",
    jobId: "job-1",
    charged: "no",
    job: { id: "job-1", status: "running" },
    polls: 10,
    elapsedMs: 10_000,
  });
  expect(error.message).toBe(
    "Job job-1 did not end within 10000 ms: it was running when last seen. Call `waitForJob` with its id to keep waiting.",
  );
  expect(error.cause).toBeUndefined();
  expect(scene.now()).toBe(10_000);
  await scene.expectNothingLeft();
});

test("gives up a request that is in flight at the deadline", async () => {
  const scene = waitScene(() => "hang");
  const error = await rejection(scene.client.waitForJob("job-1", { timeoutMs: 3000 }));
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 1, job: undefined });
  expect(error.message).toContain("no poll found it");
  expect(scene.polls).toMatchObject([{ at: 0, endedAt: 3000 }]);
  await scene.expectNothingLeft();
});

test("gives up a poll that has hung for seconds when the time of the last one has come", async () => {
  const scene = waitScene(({ count }) => (count === 0 ? "hang" : "succeeded"));

  expect(await scene.client.waitForJob("job-1", { timeoutMs: 10_000 })).toMatchObject({
    status: "succeeded",
  });
  expect(scene.polls).toMatchObject([{ at: 0, endedAt: 9500 }, { at: 9500 }]);
  expect(scene.mostInFlight).toBe(1);
  await scene.expectNothingLeft();
});

test("leaves a poll to its answer that was sent just before the last one", async () => {
  const refusal = { status: 503, headers: { "retry-after": "8" }, takesMs: 0 };
  const scene = waitScene(({ count }) => (count === 0 ? refusal : "succeeded"), { takesMs: 1800 });

  expect(await scene.client.waitForJob("job-1", { timeoutMs: 10_000 })).toMatchObject({
    status: "succeeded",
  });
  expect(scene.times()).toEqual([0, 8000]);
});

test("gives up a poll whose key has not come for seconds when the time of the last one has come", async () => {
  let asked = 0;
  const apiKey = () => (asked++ === 0 ? new Promise<string>(() => {}) : "key");
  const scene = waitScene(() => "succeeded", { apiKey });
  const found = await scene.client.waitForJob("job-1", { timeoutMs: 10_000 });
  expect(found.status).toBe("succeeded");
  expect(scene.times()).toEqual([9500]);
  await scene.expectNothingLeft();
});

test.each([10_000, endless])(
  "polls at once, and once more before a deadline of ten seconds, where the shortest delay is %d ms",
  async (ms) => {
    const scene = waitScene(() => "running");
    const options = { minDelayMs: ms, maxDelayMs: ms, timeoutMs: 10_000 };
    await rejection(scene.client.waitForJob("job-1", options));
    expect(scene.times()).toEqual([0, 9500]);
  },
);

test("sends nothing in a wait of no time", async () => {
  const scene = waitScene(() => "succeeded");
  const error = await rejection(scene.client.waitForJob("job-1", { timeoutMs: 0 }));
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 0, elapsedMs: 0 });
  expect(scene.polls).toEqual([]);
  await scene.expectNothingLeft();
});

test("waits for two months without a deadline", async () => {
  const day = 24 * 3_600_000;
  const scene = waitScene(({ at }) => (at < 60 * day ? "running" : "succeeded"));
  await scene.client.waitForJob("job-1", { timeoutMs: endless, minDelayMs: 2 * day, maxDelayMs: endless });
  expect(scene.now() / day).toBeGreaterThanOrEqual(60);
  expect(scene.now() / day).toBeLessThanOrEqual(62.2);
});

test("sends nothing after the deadlines of waits when the process was held up over them", async () => {
  const { client, polls, sleep, holdUp } = heldUpScene(() => "running");
  const waits = ["job-1", "job-2"].map((id) => rejection(client.waitForJob(id, tenSeconds)));
  await sleep(2500);
  holdUp(60_000);
  for (const error of await Promise.all(waits)) {
    expect(error).toMatchObject({ name: "JobTimeoutError", polls: 3 });
  }
  expect(polls).toHaveLength(6);
});
