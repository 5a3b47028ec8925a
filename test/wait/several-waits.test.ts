import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { everySecond, waitScene } from "../helpers/wait-scene.js";

test("each of several waits for one job has its own polls, pace and deadline", async () => {
  const scene = waitScene(({ at }) => (at < 3500 ? "running" : "succeeded"));
  const slow = { minDelayMs: 2000, maxDelayMs: 2000 };
  const [first, watched, error] = await Promise.all([
    scene.client.waitForJob("job-1", everySecond),
    collect(scene.client.watchJob("job-1", slow)),
    rejection(scene.client.waitForJob("job-1", { ...slow, timeoutMs: 3000 })),
  ]);
  expect(first.status).toBe("succeeded");
  expect(watched.map(({ status }) => status)).toEqual(["running", "succeeded"]);
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 2, elapsedMs: 3000 });
  expect(scene.times()).toEqual([0, 0, 0, 1000, 2000, 2000, 2700, 3000, 4000, 4000]);
  await scene.expectNothingLeft();
});

test("an abort ends the waits of its signal alone, with their requests", async () => {
  const scene = waitScene(({ count }) => (count < 4 ? "running" : "hang"));
  const signals = [scene.abortAt(1500, "first"), scene.abortAt(3500, "second")];
  const waits = signals.map((signal) => scene.client.waitForJob("job-1", { ...everySecond, signal }));
  expect(await Promise.all(waits.map(rejection))).toEqual(["first", "second"]);
  expect(scene.times()).toEqual([0, 0, 1000, 1000, 2000]);
  expect(scene.polls.at(-1)).toMatchObject({ endedAt: 3500 });
  await scene.expectNothingLeft(...signals);
});
