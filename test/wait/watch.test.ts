import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { everySecond, waitScene } from "../helpers/wait-scene.js";

const iterate = <T>(iterable: AsyncIterable<T>) =>
  iterable[Symbol.asyncIterator]() as AsyncIterableIterator<T>;

test("gives one job per change of status, the terminal one last", async () => {
  const scene = waitScene(({ at }) => (at < 2500 ? "queued" : at < 4500 ? "running" : "succeeded"));
  const seen: [status: string, at: number][] = [];
  for await (const { status } of scene.client.watchJob("job-1", everySecond))
    seen.push([status, scene.now()]);
  expect(seen).toEqual([
    ["queued", 0],
    ["running", 3000],
    ["succeeded", 5000],
  ]);
  await scene.expectNothingLeft();
});

test("sends nothing before the first next(), counts its deadline from there, and is over when it throws", async () => {
  const scene = waitScene(() => "running");
  const watch = iterate(scene.client.watchJob("job-1", { timeoutMs: 5000 }));
  await scene.clock.advance(60_000);
  expect(scene.polls).toEqual([]);
  expect(await watch.next()).toMatchObject({ value: { status: "running" } });
  expect(await rejection(watch.next())).toMatchObject({ name: "JobTimeoutError", elapsedMs: 5000 });
  expect(scene.now()).toBe(65_000);
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  await scene.expectNothingLeft();
});

test("stops the polling on throw(), which a loop of its own may call", async () => {
  const scene = waitScene(() => "running");
  const watch = iterate(scene.client.watchJob("job-1", everySecond));
  await watch.next();
  expect(await rejection(watch.throw?.("no more") as Promise<unknown>)).toBe("no more");
  await scene.expectNothingLeft();
});

test("ends a pending next() on return(), with the request in flight", async () => {
  const scene = waitScene(() => "hang");
  const { signal } = new AbortController();
  const watch = iterate(scene.client.watchJob("job-1", { signal }));
  const next = watch.next();
  await scene.clock.sleep(500);
  expect(await watch.return?.()).toEqual({ done: true, value: undefined });
  expect(await next).toEqual({ done: true, value: undefined });
  expect(scene.polls).toMatchObject([{ at: 0, endedAt: 500 }]);
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  await scene.expectNothingLeft(signal);
});

test("ends a pending next() on return() in a pause", async () => {
  const scene = waitScene(() => "running");
  const watch = iterate(scene.client.watchJob("job-1", everySecond));
  await watch.next();
  const next = watch.next();
  await scene.clock.advance(2500);
  await watch.return?.();
  expect(await next).toEqual({ done: true, value: undefined });
  await scene.expectNothingLeft();
  expect(scene.times()).toEqual([0, 1000, 2000]);
});

test("begins nothing after a return() before the first next()", async () => {
  const scene = waitScene(() => "running");
  const watch = iterate(scene.client.watchJob("job-1"));
  await watch.return?.();
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  expect(scene.polls).toEqual([]);
});

test("answers next() calls that overlap in their order", async () => {
  const scene = waitScene(({ count }) => ["queued", "running", "succeeded"][count] as string);
  const watch = iterate(scene.client.watchJob("job-1", everySecond));
  const results = await Promise.all([watch.next(), watch.next(), watch.next(), watch.next()]);
  expect(results.map(({ value }) => value?.status)).toEqual(["queued", "running", "succeeded", undefined]);
});

test("keeps the changes that come while the loop is busy", async () => {
  const scene = waitScene(({ at }) => (at < 1500 ? "queued" : at < 2500 ? "running" : "succeeded"));
  const seen: string[] = [];
  for await (const { status } of scene.client.watchJob("job-1", everySecond)) {
    seen.push(status);
    await scene.clock.sleep(60_000);
  }
  expect(seen).toEqual(["queued", "running", "succeeded"]);
  expect(scene.polls).toHaveLength(4);
});

test("throws the signal's reason on an abort, and is over then", async () => {
  const scene = waitScene(() => "running");
  const signal = scene.abortAt(1500);
  const watch = iterate(scene.client.watchJob("job-1", { ...everySecond, signal }));
  await watch.next();
  expect(await rejection(watch.next())).toBe("enough");
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  await scene.expectNothingLeft(signal);
});

test("throws the reason of a signal that was aborted before, at the first next()", async () => {
  const scene = waitScene(() => "running");
  const watch = iterate(scene.client.watchJob("job-1", { signal: AbortSignal.abort("before") }));
  expect(await rejection(watch.next())).toBe("before");
  expect(scene.polls).toEqual([]);
});

test("waits anew in each loop over the same watch", async () => {
  const scene = waitScene(() => "succeeded");
  const watch = scene.client.watchJob("job-1");
  await collect(watch);
  await collect(watch);
  expect(scene.polls).toHaveLength(2);
});

test("gives nothing any more once its own onUpdate has ended it", async () => {
  const scene = waitScene(() => "running");
  const watch = iterate(scene.client.watchJob("job-1", { onUpdate: () => void watch.return?.() }));
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  expect(await watch.next()).toEqual({ done: true, value: undefined });

  const controller = new AbortController();
  const { signal } = controller;
  const aborted = iterate(
    scene.client.watchJob("job-1", { signal, onUpdate: () => controller.abort("enough") }),
  );
  expect(await rejection(aborted.next())).toBe("enough");
  expect(await aborted.next()).toEqual({ done: true, value: undefined });
  await scene.expectNothingLeft(signal);
});

test("gives the end of the job to a loop whose onUpdate aborts it then", async () => {
  const scene = waitScene(() => "succeeded");
  const controller = new AbortController();
  const onUpdate = () => controller.abort("enough");
  const jobs = await collect(scene.client.watchJob("job-1", { signal: controller.signal, onUpdate }));
  expect(jobs.map(({ status }) => status)).toEqual(["succeeded"]);
});
