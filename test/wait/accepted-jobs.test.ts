import { getEventListeners } from "node:events";
import { type Clock, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { rejection } from "../helpers/rejection.js";
import { waitScene } from "../helpers/wait-scene.js";

const set = { appId: "app-1", device: "iphone-69" } as const;
const terms = { minDelayMs: 1000, maxDelayMs: 1000 };
const unknown = { status: 404 };

test("polls a job that it created just now a first delay after the acceptance", async () => {
  const scene = waitScene(() => "succeeded");
  const found = await scene.client.screenshots.createAndWait(set, terms);
  expect(scene.times()).toEqual([1000]);
  expect(found).toMatchObject({ id: "job-1", status: "succeeded", credits: documentedCredits(10, 90) });
});

test("counts the first delay and the deadline from the acceptance, however long onAccepted takes", async () => {
  const { warnings, logger } = recorded();
  const scene = waitScene(() => "running", { logger });
  const error = await rejection(
    scene.client.screenshots.createAndWait(set, {
      ...terms,
      timeoutMs: 10_000,
      onAccepted: () => scene.clock.sleep(3500),
    }),
  );
  expect(scene.times()).toEqual([3500, 4500, 5500, 6500, 7500, 8500, 9500]);
  expect(error).toMatchObject({ name: "JobTimeoutError", charged: "yes", jobId: "job-1", elapsedMs: 10_000 });
  expect([scene.now(), warnings]).toEqual([10_000, []]);
});

/** Takes the warnings that a client logs. */
function recorded() {
  const warnings: unknown[] = [];
  const warn = (message: string, fields?: object) => void warnings.push([message, fields]);
  return { warnings, logger: { debug() {}, info() {}, warn, error() {} } };
}

const wentOn = ["Went on without waiting for onAccepted any longer", { jobId: "job-1" }];

test.each([
  ["takes longer than the wait may", (clock: Clock) => clock.sleep(5000)],
  ["never ends", () => new Promise(() => {})],
])("ends at its deadline without a poll when onAccepted %s", async (_, wait) => {
  const { warnings, logger } = recorded();
  const scene = waitScene(() => "succeeded", { logger });
  const onAccepted = () => wait(scene.clock);
  const error = await rejection(scene.client.screenshots.createAndWait(set, { timeoutMs: 2000, onAccepted }));
  expect(error).toMatchObject({ name: "JobTimeoutError", charged: "yes", polls: 0, elapsedMs: 2000 });
  expect([error.jobId, warnings]).toEqual(["job-1", [wentOn]]);
  await scene.clock.advance(5000);
  await scene.expectNothingLeft();
});

test("ends at once when the signal aborts while onAccepted takes its time", async () => {
  const { warnings, logger } = recorded();
  const scene = waitScene(() => "succeeded", { logger });
  const controller = new AbortController();
  const { signal } = controller;
  scene.at(700, () => controller.abort("enough"));
  const onAccepted = () => new Promise(() => {});
  expect(await rejection(scene.client.screenshots.createAndWait(set, { signal, onAccepted }))).toBe("enough");
  expect([scene.now(), warnings]).toEqual([700, [wentOn]]);
  await scene.expectNothingLeft(signal);
});

test("what onAccepted throws after it was given up is logged, and rejects nothing else", async () => {
  const errors: unknown[] = [];
  const error = (message: string, fields?: object) => void errors.push([message, fields]);
  const scene = waitScene(() => "succeeded", { logger: { debug() {}, info() {}, warn() {}, error } });
  const late = new Error("late");
  const onAccepted = async () => {
    await scene.clock.sleep(5000);
    throw late;
  };
  await rejection(scene.client.screenshots.createAndWait(set, { timeoutMs: 2000, onAccepted }));
  await scene.clock.advance(5000);
  expect(errors).toEqual([["onAccepted threw after a job was accepted", { jobId: "job-1", error: late }]]);
});

test("a mock's virtual time waits for an onAccepted that writes a file", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1234567890",
  });
  const onAccepted = () => new Promise((resolve) => setTimeout(resolve, 150));
  const found = await client.screenshots.createAndWait({ appId, device: "iphone-69" }, { onAccepted });
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

test("has one listener on a signal that many creates and waits share", async () => {
  const { signal } = new AbortController();
  let most = 0;
  const count = () => {
    most = Math.max(most, getEventListeners(signal, "abort").length);
  };
  const scene = waitScene(({ at }) => {
    count();
    return at < 3000 ? "running" : "succeeded";
  });
  const creates = Array.from({ length: 20 }, () =>
    scene.client.screenshots.createAndWait(set, { signal, onAccepted: count, onUpdate: count }),
  );
  const waits = ["one", "one", "other"].map((id) => scene.client.waitForJob(id, { signal }));
  count();
  await Promise.resolve().then(count);
  await Promise.all([...creates, ...waits]);
  expect(most).toBe(1);
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

test("tolerates a 404 for ten seconds after this client created the job", async () => {
  const scene = waitScene(({ at }) => (at <= 10_000 ? unknown : "succeeded"));
  const found = await scene.client.screenshots.createAndWait(set, terms);
  expect(found.status).toBe("succeeded");
  expect(scene.times()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((second) => second * 1000));
});

test("ends with the first 404 that comes later than ten seconds after the creation", async () => {
  const scene = waitScene(() => unknown);
  const error = await rejection(scene.client.screenshots.createAndWait(set, terms));
  expect(error).toMatchObject({ name: "NotFoundError", status: 404, charged: "yes", jobId: "job-1" });
  expect(scene.now()).toBe(11_000);
});

test("tolerates a 404 in any wait for a job of its own, also one that client.request created", async () => {
  const scene = waitScene(({ at }) => (at < 3000 ? unknown : "succeeded"));
  const { jobId } = await scene.client.request("POST", "/public/v1/screenshots", {
    body: { ...set, count: 5 },
  });
  await scene.client.waitForJob(jobId, terms);
  expect(scene.times()).toEqual([0, 1000, 2000, 3000]);
});

test.each([
  [302, { jobId: "job-1" }, "InvalidResponseError"],
  [502, { jobId: "job-1" }, "ServerError"],
])("tolerates a 404 for a job that the error of a create names, after a %d", async (status, body, name) => {
  const scene = waitScene(({ at }) => (at < 3000 ? unknown : "succeeded"), { creates: { status, body } });
  const error = await rejection(scene.client.screenshots.create(set));
  expect(error).toMatchObject({ name, charged: "maybe", jobId: "job-1" });
  await scene.client.waitForJob("job-1", terms);
  expect(scene.times()).toEqual([0, 1000, 2000, 3000]);
});

test("believes a 404 for a job that a refusal names", async () => {
  const scene = waitScene(() => unknown, { creates: { status: 409, body: { jobId: "job-1" } } });
  const error = await rejection(scene.client.screenshots.create(set));
  expect(error).toMatchObject({ charged: "no", jobId: "job-1" });
  await rejection(scene.client.waitForJob("job-1", terms));
  expect(scene.polls).toHaveLength(1);
});

test("ends at once with a 404 for a job that another created", async () => {
  const scene = waitScene(() => unknown);
  await scene.client.screenshots.create(set);
  const error = await rejection(scene.client.waitForJob("job-of-yesterday", terms));
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

test("rejects with what onAccepted throws, and logs the job's id", async () => {
  const lines: unknown[][] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const scene = waitScene(() => "succeeded", {
    logger: { debug() {}, info() {}, warn() {}, error: write },
  });
  const thrown = new Error("the database is down");
  const onAccepted = () => Promise.reject(thrown);
  expect(await rejection(scene.client.screenshots.createAndWait(set, { onAccepted }))).toBe(thrown);
  expect(lines).toEqual([["onAccepted threw after a job was accepted", { jobId: "job-1", error: thrown }]]);
  expect(scene.polls).toEqual([]);
  await scene.expectNothingLeft();
});

test("remembers its newest 10,000 jobs as its own: of an older one, a 404 is believed at once", async () => {
  const scene = waitScene(() => unknown, { maxRetries: 0 });
  for (let created = 0; created < 10_001; created++) await scene.client.screenshots.create(set);
  const options = { ...terms, timeoutMs: 5000 };
  expect(await rejection(scene.client.waitForJob("job-2", options))).toMatchObject({
    name: "JobTimeoutError",
  });
  expect(await rejection(scene.client.waitForJob("job-1", options))).toMatchObject({ name: "NotFoundError" });
});
