import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { everySecond, set, waitScene } from "../helpers/wait-scene.js";

const reason = { why: "shutting down" };

test("sends nothing when the signal was aborted before", async () => {
  const scene = waitScene(() => "succeeded");
  const signal = AbortSignal.abort(reason);
  expect(await rejection(scene.client.waitForJob("job-1", { signal }))).toBe(reason);
  expect(scene.polls).toEqual([]);
  await scene.expectNothingLeft(signal);
});

test.each([
  ["gives up the request in flight", "hang", 2500],
  ["wakes from the pause between polls", "running", 2000],
])("%s on an abort, and rejects with the signal's reason", async (_, third, endedAt) => {
  const scene = waitScene(({ count }) => (count < 2 ? "running" : third));
  const signal = scene.abortAt(2500, reason);
  expect(await rejection(scene.client.waitForJob("job-1", { ...everySecond, signal }))).toBe(reason);
  expect(scene.now()).toBe(2500);
  expect(scene.polls).toMatchObject([{ at: 0 }, { at: 1000 }, { at: 2000, endedAt }]);
  await scene.expectNothingLeft(signal);
});

test("ends all waits that share a signal with its reason, also after one of them has ended", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "done" ? "succeeded" : "running"));
  const signal = scene.abortAt(100, reason);
  const waits = ["a", "b", "a"].map((id) => rejection(scene.client.waitForJob(id, { signal })));
  await scene.client.waitForJob("done", { signal });
  expect(await Promise.all(waits)).toEqual([reason, reason, reason]);
  await scene.expectNothingLeft(signal);
});

test("begins a new wait after an abort at once, on polls of its own", async () => {
  const scene = waitScene(({ at }) => (at < 2000 ? "hang" : "succeeded"));
  const signal = scene.abortAt(2500);
  await rejection(scene.client.waitForJob("job-1", { signal }));
  await scene.client.waitForJob("job-1");
  expect(scene.polls).toMatchObject([{ at: 0, endedAt: 2500 }, { at: 2500 }]);
});

test("takes an abort in an onUpdate, of the wait's own signal and of another's", async () => {
  const controllers = [new AbortController(), new AbortController()];
  const scene = waitScene(() => "running");
  const seen: number[] = [];
  const waits = controllers.map(({ signal }, index) => {
    const onUpdate = () => {
      seen.push(index);
      for (const controller of controllers) controller.abort(reason);
    };
    return rejection(scene.client.waitForJob("job-1", { signal, onUpdate }));
  });
  expect(await Promise.all(waits)).toEqual([reason, reason]);
  expect(seen).toEqual([0]);
  await scene.expectNothingLeft(...controllers.map(({ signal }) => signal));
});

test("takes an abort in the key function, of waits that are due at the same time", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const apiKey = () => {
    if (scene.now() >= 9500) controller.abort(reason);
    return "key";
  };
  const scene = waitScene(() => "running", { apiKey });
  const rare = { minDelayMs: 20_000, maxDelayMs: 20_000, timeoutMs: 10_000 };
  const waits = Array.from({ length: 4 }, (_, index) => [
    rejection(scene.client.waitForJob(`job-${index}`, rare)),
    rejection(scene.client.waitForJob(`aborted-${index}`, { ...rare, signal })),
  ]);

  for (const [error, aborted] of await Promise.all(waits.map((pair) => Promise.all(pair)))) {
    expect(error).toMatchObject({ name: "JobTimeoutError", polls: 2, elapsedMs: 10_000 });
    expect(aborted).toBe(reason);
  }
  expect(scene.times().filter((at) => at > 0)).toEqual(Array(4).fill(9500));
  await scene.expectNothingLeft(signal);
});

test("resolves a wait whose onUpdate aborts it with the end of the job", async () => {
  const controller = new AbortController();
  const { client } = waitScene(() => "succeeded");
  const onUpdate = () => controller.abort(reason);
  const found = await client.waitForJob("job-1", { signal: controller.signal, onUpdate });
  expect(found.status).toBe("succeeded");
});

test("createAndWait rejects with the signal's reason as it is, also where that is an error of this package", async () => {
  const { client, abortAt } = waitScene(({ jobId }) => (jobId === "other" ? { status: 404 } : "running"));
  const other = await rejection(client.jobs.get("other"));
  const signal = abortAt(2500, other);
  expect(await rejection(client.screenshots.createAndWait(set, { signal }))).toBe(other);
});
