import { expect, test } from "vitest";
import { heldUpClock } from "../helpers/held-up-clock.js";
import { rejection } from "../helpers/rejection.js";
import { type Poll, waitScene } from "../helpers/wait-scene.js";

const limit = 64;
/** So many first polls are under way at once. */
const firstPlaces = 512;
const ids = (count: number) => Array.from({ length: count }, (_, index) => `job-${index}`);

/** The most polls that were under way at once, of those that were not the first of their job. */
function mostUsual(polls: Poll[]): number {
  const usual = polls.filter(({ count }) => count > 0);
  return Math.max(
    ...usual.map(({ at }) => usual.filter((one) => one.at <= at && (one.endedAt ?? at) > at).length),
  );
}

test.each([
  [64, {}],
  [20, { maxConcurrentPolls: 20 }],
  [100, { maxConcurrentPolls: 100 }],
])("has at most %d polls in flight besides first ones, and all waits end", async (most, options) => {
  const scene = waitScene(({ at }) => (at < 3000 ? "running" : "succeeded"), { takesMs: 100, ...options });

  const jobs = await Promise.all(ids(300).map((id) => scene.client.waitForJob(id)));

  expect(jobs.map(({ id }) => id)).toEqual(ids(300));
  expect(mostUsual(scene.polls)).toBe(most);
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "64"])(
  "refuses %s places for polls",
  (value) => {
    expect(() => waitScene(() => "running", { maxConcurrentPolls: value as number })).toThrow(
      /Expected `maxConcurrentPolls` to be a positive integer, got /,
    );
  },
);

test("starts the polls that had to wait as soon as others end, in the order in which they were due", async () => {
  const scene = waitScene(({ jobId, count }) => (jobId === "slow" || count === 0 ? "running" : "succeeded"), {
    maxConcurrentPolls: 1,
    takesMs: 100,
  });
  const terms = (ms: number) => ({ minDelayMs: ms, maxDelayMs: ms, timeoutMs: 10_000 });
  const slow = rejection(scene.client.waitForJob("slow", { ...terms(200), timeoutMs: 1000 }));
  const waits = ["third", "first", "second"].map((id, index) =>
    scene.client.waitForJob(id, terms([290, 230, 260][index] as number)),
  );

  await Promise.all(waits);
  await slow;

  expect(scene.polls.slice(4).map(({ jobId, at }) => [jobId, at])).toEqual([
    ["slow", 300],
    ["first", 400],
    ["second", 500],
    ["third", 600],
    ["slow", 700],
    ["slow", 900],
  ]);
});

test.each([
  ["first polls", 500, 0, [1000, 2000, 3000]],
  ["usual polls", limit, 1, [1000, 3200, 4200]],
] as const)(
  "looks at a job at once though %s hang, and goes on after some seconds at most",
  async (...given) => {
    const [, hanging, answered, expected] = given;
    const scene = waitScene(({ jobId, at, count }) =>
      jobId.startsWith("job") && count >= answered ? "hang" : at < 20_000 ? "running" : "succeeded",
    );
    const hung = ids(hanging).map((id) => rejection(scene.client.waitForJob(id, { timeoutMs: 50_000 })));
    const terms = { minDelayMs: 1000, maxDelayMs: 1000 };
    let seenAt = 0;
    scene.at(1000, async () => {
      await scene.client.waitForJob("next", terms);
      seenAt = scene.now();
    });

    await Promise.all(hung);

    const times = scene.times("next");
    expect(times.slice(0, 3)).toEqual(expected);
    expect(seenAt).toBeLessThan(21_000);
  },
);

test("has room again for first polls some seconds after very many began to hang", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "next" ? "succeeded" : "hang"));
  const hung = ids(2 * firstPlaces).map((id) =>
    rejection(scene.client.waitForJob(id, { timeoutMs: 20_000 })),
  );
  scene.at(100, () => scene.client.waitForJob("next"));

  await Promise.all(hung);

  expect(scene.times("next")).toEqual([6000]);
});

test("sends last polls though all places are taken", async () => {
  const scene = waitScene(({ jobId, count }) => (jobId === "last" || count === 0 ? "running" : "hang"), {
    maxConcurrentPolls: 1,
  });
  const terms = { minDelayMs: 1000, maxDelayMs: 1000 };
  const hung = rejection(scene.client.waitForJob("hangs", { ...terms, timeoutMs: 20_000 }));

  await rejection(scene.client.waitForJob("last", { minDelayMs: 1100, maxDelayMs: 1100, timeoutMs: 3000 }));

  expect(scene.times("last")).toEqual([0, 2700]);
  await hung;
});

test("takes waits that were aborted, or watched no longer, out of the queue", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 100 });
  const waits = ids(firstPlaces).map((id) => scene.client.waitForJob(id));
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
  expect(scene.polls).toHaveLength(firstPlaces);
});

test("gives the place of a poll that was aborted in flight to the next", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "next" ? "succeeded" : "hang"));
  const controller = new AbortController();
  const { signal } = controller;
  const hanging = ids(firstPlaces).map((id) => rejection(scene.client.waitForJob(id, { signal })));
  scene.at(100, () => scene.client.waitForJob("next"));
  scene.at(500, () => controller.abort("enough"));

  expect(new Set(await Promise.all(hanging))).toEqual(new Set(["enough"]));
  await scene.clock.advance(1000);

  expect(scene.times("next")).toEqual([500]);
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
  const { clock, advance, holdUp } = heldUpClock();
  const scene = waitScene(({ jobId }) => (jobId === "next" ? "succeeded" : "running"), { clock });
  for (let round = 0; round < 8; round++) {
    const terms = { minDelayMs: 1000, maxDelayMs: 1000, timeoutMs: 5000 };
    const waits = ids(limit).map((id) => rejection(scene.client.waitForJob(`${id}-${round}`, terms)));
    await advance(500);
    holdUp(60_000);
    for (const error of await Promise.all(waits)) expect(error).toMatchObject({ polls: 1 });
  }

  const beganAt = clock.now();
  await scene.client.waitForJob("next");

  expect(clock.now()).toBe(beganAt);
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
