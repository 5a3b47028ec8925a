import { NotFoundError } from "screenshot-sets";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { waitScene } from "../helpers/wait-scene.js";

const terms = { minDelayMs: 1000, maxDelayMs: 1000 };
const reason = { why: "shutting down" };

test("sends nothing when the signal was aborted before", async () => {
  const scene = waitScene(() => "succeeded");
  const signal = AbortSignal.abort(reason);
  expect(await rejection(scene.client.waitForJob("job-1", { signal }))).toBe(reason);
  expect(scene.polls).toEqual([]);
  await scene.expectNothingLeft(signal);
});

test("gives up the request in flight on an abort, and rejects with the signal's reason", async () => {
  const scene = waitScene(({ count }) => (count < 2 ? "running" : "hang"));
  const controller = new AbortController();
  const { signal } = controller;
  scene.at(2500, () => controller.abort(reason));
  expect(await rejection(scene.client.waitForJob("job-1", { ...terms, signal }))).toBe(reason);
  expect(scene.polls).toMatchObject([{ at: 0 }, { at: 1000 }, { at: 2000, endedAt: 2500 }]);
  await scene.expectNothingLeft(signal);
});

test("wakes from the pause between polls on an abort", async () => {
  const scene = waitScene(() => "running");
  const controller = new AbortController();
  const { signal } = controller;
  scene.at(2500, () => controller.abort(reason));
  expect(await rejection(scene.client.waitForJob("job-1", { ...terms, signal }))).toBe(reason);
  expect(scene.now()).toBe(2500);
  expect(scene.times()).toEqual([0, 1000, 2000]);
  await scene.expectNothingLeft(signal);
});

test("ends all waits that share a signal with its reason, also after one of them has ended", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "done" ? "succeeded" : "running"));
  const controller = new AbortController();
  const { signal } = controller;
  const waits = ["a", "b", "a"].map((id) => rejection(scene.client.waitForJob(id, { signal })));
  await scene.client.waitForJob("done", { signal });
  scene.at(100, () => controller.abort(reason));
  expect(await Promise.all(waits)).toEqual([reason, reason, reason]);
  await scene.expectNothingLeft(signal);
});

test("begins a new wait after an abort at once, on polls of its own", async () => {
  const scene = waitScene(({ at }) => (at < 2000 ? "hang" : "succeeded"));
  const controller = new AbortController();
  const aborted = rejection(scene.client.waitForJob("job-1", { signal: controller.signal }));
  let found: Promise<unknown> | undefined;
  scene.at(2500, () => {
    controller.abort(reason);
    found = scene.client.waitForJob("job-1");
  });
  expect(await aborted).toBe(reason);
  expect(await found).toMatchObject({ status: "succeeded" });
  expect(scene.polls).toMatchObject([{ at: 0, endedAt: 2500 }, { at: 2500 }]);
});

test("takes an abort in an onUpdate, of the wait's own signal and of another's", async () => {
  const controllers = [new AbortController(), new AbortController()] as const;
  const [one, other] = controllers.map(({ signal }) => signal) as [AbortSignal, AbortSignal];
  const scene = waitScene(() => "running");
  const seen: string[] = [];
  const waits = [
    scene.client.waitForJob("job-1", {
      signal: one,
      onUpdate() {
        seen.push("one");
        for (const controller of controllers) controller.abort(reason);
      },
    }),
    scene.client.waitForJob("job-1", { signal: other, onUpdate: () => seen.push("other") }),
  ];
  expect(await Promise.all(waits.map(rejection))).toEqual([reason, reason]);
  expect(seen).toEqual(["one"]);
  await scene.expectNothingLeft(one, other);
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
  const waits = Array.from({ length: 8 }, (_, index) =>
    rejection(scene.client.waitForJob(`job-${index}`, index % 2 ? { ...rare, signal } : rare)),
  );

  const errors = await Promise.all(waits);

  for (const [index, error] of errors.entries()) {
    if (index % 2) expect(error).toBe(reason);
    else expect(error).toMatchObject({ name: "JobTimeoutError", polls: 2, elapsedMs: 10_000 });
  }
  expect(scene.times().filter((at) => at > 0)).toEqual(Array(4).fill(9500));
  await scene.expectNothingLeft(signal);
});

test("resolves a wait whose onUpdate aborts it with the end of the job", async () => {
  const controller = new AbortController();
  const scene = waitScene(() => "succeeded");
  const { signal } = controller;
  const found = await scene.client.waitForJob("job-1", { signal, onUpdate: () => controller.abort(reason) });
  expect(found.status).toBe("succeeded");
});

test("createAndWait rejects with the signal's reason as it is, also where that is an error of this package", async () => {
  class OwnError extends NotFoundError {}
  const other = await rejection(waitScene(() => ({ status: 404 })).client.jobs.get("another"));
  for (const reason of [other, Object.setPrototypeOf(new Error("own"), OwnError.prototype)]) {
    const scene = waitScene(() => "running");
    const controller = new AbortController();
    const { signal } = controller;
    scene.at(2500, () => controller.abort(reason));
    const params = { appId: "app-1", device: "iphone-69" } as const;
    expect(await rejection(scene.client.screenshots.createAndWait(params, { signal }))).toBe(reason);
    await scene.expectNothingLeft(signal);
  }
});
