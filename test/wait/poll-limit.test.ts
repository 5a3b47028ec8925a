import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { waitScene } from "../helpers/wait-scene.js";

const limit = 64;
const ids = (count: number) => Array.from({ length: count }, (_, index) => `job-${index}`);

test("has at most 64 polls in flight, for 300 waits too, and all of them end", async () => {
  const scene = waitScene(({ at }) => (at < 3000 ? "running" : "succeeded"), { takesMs: 100 });

  const jobs = await Promise.all(ids(300).map((id) => scene.client.waitForJob(id)));

  expect(jobs.map(({ id }) => id)).toEqual(ids(300));
  expect(scene.mostInFlight).toBe(limit);
});

test("starts the polls that had to wait as soon as others end, in the order in which they were due", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 100 });
  const waits = ids(limit).map((id) => scene.client.waitForJob(id));
  scene.at(50, () => waits.push(scene.client.waitForJob("third")));
  scene.at(20, () => waits.push(scene.client.waitForJob("first")));
  scene.at(40, () => waits.push(scene.client.waitForJob("second")));

  await scene.clock.sleep(1000);
  await Promise.all(waits);

  expect(scene.polls.slice(limit).map(({ jobId, at }) => [jobId, at])).toEqual([
    ["first", 100],
    ["second", 100],
    ["third", 100],
  ]);
});

test("lets the last polls before a deadline go first, the earliest deadline before the others", async () => {
  const scene = waitScene(({ jobId }) => (jobId.startsWith("job") ? "hang" : "running"), { takesMs: 100 });
  const terms = { timeoutMs: 4000, minDelayMs: 20, maxDelayMs: 20 };
  const outcomes: Promise<unknown>[] = [];
  const wait = (id: string, timeoutMs = 4000) =>
    outcomes.push(rejection(scene.client.waitForJob(id, { ...terms, timeoutMs })));
  for (const id of ids(limit - 1)) wait(id);
  // Thirty take turns in the one place that is left, so that each has one every three seconds.
  for (let index = 0; index < 30; index++) wait(`patient-${index}`);
  scene.at(1010, () => wait("later", 1010));
  scene.at(1010, () => wait("sooner", 1000));

  await Promise.all(outcomes);

  const timesOf = (id: string) => scene.polls.filter(({ jobId }) => jobId === id).map(({ at }) => at);
  expect(timesOf("sooner")).toEqual([2000]);
  // Where the other one's deadline made room.
  expect(timesOf("later")).toEqual([2010]);
  expect(scene.mostInFlight).toBe(limit);
});

test("ends waits at their deadlines, though their polls never came to their turn", async () => {
  const scene = waitScene(() => "hang");
  const hanging = ids(limit).map((id) => scene.client.waitForJob(id, { timeoutMs: 20_000 }).catch(() => {}));

  const error = await rejection(scene.client.waitForJob("late", { timeoutMs: 1000 }));

  expect(error).toMatchObject({ name: "JobTimeoutError", jobId: "late", polls: 0, elapsedMs: 1000 });
  expect(scene.now()).toBe(1000);
  await Promise.all(hanging);
  expect(scene.polls.some(({ jobId }) => jobId === "late")).toBe(false);
});

test("takes waits that were aborted, or watched no longer, out of the queue", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 100 });
  const waits = ids(limit).map((id) => scene.client.waitForJob(id));
  const controller = new AbortController();
  const aborted = rejection(scene.client.waitForJob("aborted", { signal: controller.signal }));
  const watch = scene.client.watchJob("left")[Symbol.asyncIterator]();
  const next = watch.next();

  controller.abort("enough");
  await watch.return?.();
  await Promise.all(waits);
  await scene.clock.advance(60_000);

  expect(await aborted).toBe("enough");
  expect(await next).toEqual({ done: true, value: undefined });
  expect(scene.polls).toHaveLength(limit);
});

test("gives the place of a poll that was aborted in flight to the next", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "next" ? "succeeded" : "hang"));
  const controller = new AbortController();
  const { signal } = controller;
  const hanging = ids(limit).map((id) => rejection(scene.client.waitForJob(id, { signal })));
  const next = scene.client.waitForJob("next");
  scene.at(500, () => controller.abort("enough"));

  await next;

  expect(scene.polls.at(-1)).toMatchObject({ jobId: "next", at: 500 });
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(["enough"]));
});

test("has room for others where a poll was wanted by somebody who has left", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "next" ? "succeeded" : "running"), { takesMs: 100 });
  const controller = new AbortController();
  const { signal } = controller;
  const slow = { minDelayMs: 20_000, maxDelayMs: 20_000 };
  const left = ids(2 * limit).map((id) => {
    scene.client.waitForJob(id, slow).catch(() => {});
    return rejection(scene.client.waitForJob(id, { minDelayMs: 1000, maxDelayMs: 1000, signal }));
  });
  scene.at(900, () => controller.abort("enough"));
  await Promise.all(left);
  await scene.clock.advance(5000);
  expect(scene.times()).toHaveLength(2 * limit);

  const beganAt = scene.now();
  await scene.client.waitForJob("next");

  expect(scene.now()).toBe(beganAt + 100);
});

test("has room for others where polls were due after a deadline, in a process that was held up", async () => {
  const held = createMock().clock;
  let heldUpMs = 0;
  const clock = { now: () => held.now() + heldUpMs, sleep: held.sleep };
  const scene = waitScene(({ jobId }) => (jobId === "next" ? "succeeded" : "running"), { clock });
  for (let round = 0; round < 8; round++) {
    const terms = { minDelayMs: 1000, maxDelayMs: 1000, timeoutMs: 5000 };
    const waits = ids(limit).map((id) => rejection(scene.client.waitForJob(`${id}-${round}`, terms)));
    await held.advance(500);
    heldUpMs += 60_000;
    for (const error of await Promise.all(waits)) expect(error).toMatchObject({ polls: 1 });
  }

  const beganAt = held.now();
  await scene.client.waitForJob("next");

  expect(held.now()).toBe(beganAt);
});

test("lets the event loop turn between portions of polls, when answers come at once", async () => {
  const scene = waitScene(() => "succeeded");
  const turns: number[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    turns.push(scene.polls.length);
    port2.postMessage(undefined);
  };
  port2.postMessage(undefined);

  await Promise.all(ids(300).map((id) => scene.client.waitForJob(id)));
  port1.close();

  const portions = turns.map((count, index) => count - (turns[index - 1] ?? 0));
  expect(portions.reduce((most, portion) => Math.max(most, portion))).toBeLessThanOrEqual(limit);
});
