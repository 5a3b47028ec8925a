import { expect, test } from "vitest";
import { heldUpScene } from "../helpers/held-up-clock.js";
import { rejection } from "../helpers/rejection.js";
import { everySecond, set, waitScene } from "../helpers/wait-scene.js";

const ids = (count: number) => Array.from({ length: count }, (_, index) => `job-${index}`);

test.each([
  [64, {}],
  [20, { maxConcurrentPolls: 20 }],
])("has at most %d polls in flight, and all waits end", async (most, options) => {
  const scene = waitScene(({ at }) => (at < 3000 ? "running" : "succeeded"), { takesMs: 100, ...options });

  const jobs = await Promise.all(ids(300).map((id) => scene.client.waitForJob(id)));

  expect(jobs.map(({ id }) => id)).toEqual(ids(300));
  expect(scene.mostInFlight).toBe(most);
});

test("starts the polls that had to wait as soon as others end, in the order in which they were due", async () => {
  const scene = waitScene(({ count }) => (count === 0 ? "running" : "succeeded"), {
    maxConcurrentPolls: 1,
    takesMs: 100,
  });
  const terms = (ms: number) => ({ minDelayMs: ms, maxDelayMs: ms });
  // Their first polls end at 100, 200, 300 and 400; their next ones are due at 900, 650, 850 and 600.
  const waits = [800, 450, 550, 200].map((ms, index) => scene.client.waitForJob(`job-${index}`, terms(ms)));
  const blocking = [1, 2].map((index) => scene.client.waitForJob(`blocking-${index}`, terms(1000)));

  await Promise.all([...waits, ...blocking]);

  expect(scene.polls.slice(6).map(({ jobId, at }) => [jobId, at])).toEqual([
    ["job-3", 600],
    ["job-1", 700],
    ["job-2", 850],
    ["job-0", 950],
    ["blocking-1", 1500],
    ["blocking-2", 1600],
  ]);
});

test("polls that hang block the others for some seconds, and no longer", async () => {
  const scene = waitScene(
    ({ jobId, at }) => (jobId !== "next" ? "hang" : at < 20_000 ? "running" : "succeeded"),
    {
      maxConcurrentPolls: 2,
    },
  );
  const hung = ids(2).map((id) => rejection(scene.client.waitForJob(id, { timeoutMs: 50_000 })));
  scene.at(1000, () => scene.client.waitForJob("next", everySecond));

  await Promise.all(hung);

  expect(scene.times("next").slice(0, 3)).toEqual([3000, 4000, 5000]);
  expect(scene.times("next").at(-1)).toBe(20_000);
});

test("polls whose keys do not come block the others for some seconds, and no longer", async () => {
  let asked = 0;
  const apiKey = () => (asked++ < 2 ? new Promise<string>(() => {}) : "key");
  const scene = waitScene(() => "succeeded", { apiKey, maxConcurrentPolls: 2 });
  const stuck = ids(2).map((id) => scene.client.waitForJob(id, { timeoutMs: 10_000 }));

  await scene.client.waitForJob("next");

  expect(scene.times()).toEqual([3000]);
  await Promise.all(stuck);
});

test("counts the seconds of a poll that hangs from when it was sent with its key", async () => {
  const scene = waitScene(({ jobId, count }) => (jobId === "hangs" && count === 0 ? "hang" : "succeeded"), {
    maxConcurrentPolls: 1,
    apiKey: () => scene.clock.sleep(scene.now() === 0 ? 2500 : 0).then(() => "key"),
  });
  const hung = scene.client.waitForJob("hangs", { timeoutMs: 20_000 });

  await scene.client.waitForJob("next");

  expect([scene.times("hangs")[0], scene.now()]).toEqual([2500, 5500]);
  await hung;
});

test("a poll that pauses after a 429 keeps its place, so that the limit holds after the pause", async () => {
  const scene = waitScene(
    ({ at }) => (at === 0 ? { status: 429, headers: { "retry-after": "20" } } : "succeeded"),
    { maxConcurrentPolls: 4, takesMs: 100 },
  );

  await Promise.all(ids(100).map((id) => scene.client.waitForJob(id)));

  expect(scene.mostInFlight).toBe(4);
});

test("takes waits that were aborted, or watched no longer, out of the queue", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 100, maxConcurrentPolls: 1 });
  const first = scene.client.waitForJob("first");
  const controller = new AbortController();
  const aborted = rejection(scene.client.waitForJob("aborted", { signal: controller.signal }));
  const watch = scene.client.watchJob("left")[Symbol.asyncIterator]();
  const next = watch.next();

  controller.abort("enough");
  await watch.return?.();
  await first;
  await scene.client.waitForJob("later");

  expect([await aborted, await next]).toEqual(["enough", { done: true, value: undefined }]);
  expect(scene.polls).toMatchObject([
    { jobId: "first", at: 0 },
    { jobId: "later", at: 100 },
  ]);
  await scene.expectNothingLeft();
});

test("gives a place to who has waited longest, also where others come in the moment that it becomes free", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 100, maxConcurrentPolls: 1 });
  const order: string[] = [];
  const wait = (id: string) => scene.client.waitForJob(id).then(() => order.push(id));
  // The one that ends begins another at once, before the one that waited can go on.
  const first = scene.client.waitForJob("first", { onUpdate: () => void newcomers.push(wait("newcomer")) });
  const newcomers: Promise<unknown>[] = [];

  await Promise.all([first, wait("waiting"), wait("waiting too")]);
  await Promise.all(newcomers);

  expect(order).toEqual(["waiting", "waiting too", "newcomer"]);
  expect(scene.mostInFlight).toBe(1);
});

test("loses no place where a wait is aborted in the moment that it gets one", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 100, maxConcurrentPolls: 1 });
  const controller = new AbortController();
  const { signal } = controller;
  const first = scene.client.waitForJob("first", { onUpdate: () => controller.abort("enough") });
  const aborted = rejection(scene.client.waitForJob("aborted", { signal }));
  const next = scene.client.waitForJob("next");

  await first;
  expect(await aborted).toBe("enough");
  expect((await next).status).toBe("succeeded");
  expect(scene.times("next")).toEqual([100]);
  await scene.expectNothingLeft(signal);
});

test("gives the place of a poll that was aborted in flight to the next", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "next" ? "succeeded" : "hang"), {
    maxConcurrentPolls: 1,
  });
  const hanging = rejection(scene.client.waitForJob("hangs", { signal: scene.abortAt(500) }));
  scene.at(100, () => scene.client.waitForJob("next"));

  expect(await hanging).toBe("enough");
  await scene.clock.advance(1000);

  expect(scene.times("next")).toEqual([500]);
});

test("has room for others where polls were due after a deadline, in a process that was held up", async () => {
  const { client, now, sleep, holdUp } = heldUpScene((jobId) => (jobId === "next" ? "succeeded" : "running"));
  const waits = ids(64).map((id) => rejection(client.waitForJob(id, { ...everySecond, timeoutMs: 5000 })));
  await sleep(500);
  holdUp(60_000);
  for (const error of await Promise.all(waits)) expect(error).toMatchObject({ polls: 1 });

  const beganAt = now();
  await client.waitForJob("next");

  expect(now()).toBe(beganAt);
});

test("remembers its newest 10,000 jobs as its own: of an older one, a 404 is believed at once", async () => {
  const { client } = waitScene(() => ({ status: 404 }));
  for (let created = 0; created < 10_001; created++) await client.screenshots.create(set);
  const nameFor = async (jobId: string) =>
    (await rejection(client.waitForJob(jobId, { ...everySecond, timeoutMs: 5000 }))).name;
  expect([await nameFor("job-1"), await nameFor("job-2")]).toEqual(["NotFoundError", "JobTimeoutError"]);
});
