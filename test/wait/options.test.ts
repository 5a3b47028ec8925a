import { ConfigurationError, isTerminal, pollDelayMs, type WaitOptions } from "screenshot-sets";
import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { job, waitScene } from "../helpers/wait-scene.js";

const wrong: [what: string, options: object][] = [
  ...["timeoutMs", "minDelayMs", "maxDelayMs"].flatMap((name): [string, object][] =>
    [Number.NaN, -1, "1000", null].map((value) => [`${name} ${JSON.stringify(value)}`, { [name]: value }]),
  ),
  ["a shortest delay above the longest", { minDelayMs: 2000, maxDelayMs: 1000 }],
  ["a shortest delay above the default of the longest", { minDelayMs: 30_001 }],
  ["maxRetries -1", { maxRetries: -1 }],
  ["a signal that is none", { signal: {} }],
  ["an onUpdate that is no function", { onUpdate: "log" }],
];

test.each(wrong)("refuses %s before any request", async (_, options) => {
  const scene = waitScene(() => "succeeded");
  const { client } = scene;
  const errors = [
    await rejection(client.waitForJob("job-1", options)),
    await rejection((async () => collect(client.watchJob("job-1", options)))()),
    await rejection(client.screenshots.createAndWait({ appId: "a", device: "iphone-69" }, options)),
  ];
  for (const error of errors) expect(error).toBeInstanceOf(ConfigurationError);
  expect(scene.polls).toEqual([]);
});

test("names the option that it refuses", async () => {
  const { client } = waitScene(() => "succeeded");
  for (const name of ["timeoutMs", "minDelayMs", "maxDelayMs"]) {
    const { message } = await rejection(client.waitForJob("job-1", { [name]: -1 }));
    expect(message).toBe(`Expected \`${name}\` to be a number of milliseconds, 0 or more, got -1.`);
  }
});

test("takes a shortest and a longest delay that are the same, or nothing", async () => {
  const timesOf = async (ms: number) => {
    const scene = waitScene(({ count }) => (count < 3 ? "running" : "succeeded"));
    await scene.client.waitForJob("job-1", { minDelayMs: ms, maxDelayMs: ms });
    return scene.times();
  };
  expect(await timesOf(500)).toEqual([0, 500, 1000, 1500]);
  // A timer for no time takes up to a millisecond.
  expect((await timesOf(0)).at(-1)).toBeLessThanOrEqual(3);
});

test("calls onUpdate once per change of status, with the job", async () => {
  const statuses = ["queued", "queued", "running", "running", "queued", "succeeded"];
  const scene = waitScene(({ count }) => statuses[count] as string);
  const seen: unknown[] = [];
  await scene.client.waitForJob("job-1", { onUpdate: (found) => seen.push(found) });
  expect(seen).toEqual(["queued", "running", "queued", "succeeded"].map((status) => job("job-1", status)));
});

const failures: [what: string, onUpdate: () => void][] = [
  [
    "throws",
    () => {
      throw new Error("in onUpdate");
    },
  ],
  [
    "rejects",
    async () => {
      throw new Error("in onUpdate");
    },
  ],
];

test.each(failures)("logs what an onUpdate %s, and goes on", async (_, onUpdate) => {
  const errors: unknown[] = [];
  const error = (message: string, fields?: object) => void errors.push([message, fields]);
  const logger = { debug() {}, info() {}, warn() {}, error };
  const scene = waitScene(({ count }) => (count === 0 ? "running" : "succeeded"), { logger });
  const options: WaitOptions = { minDelayMs: 1000, maxDelayMs: 1000, onUpdate };
  const [found, other] = await Promise.all([
    scene.client.waitForJob("job-1", options),
    scene.client.waitForJob("job-1"),
  ]);
  expect([found.status, other.status]).toEqual(["succeeded", "succeeded"]);
  expect(errors).toMatchObject([
    ["onUpdate threw", { jobId: "job-1", error: { message: "in onUpdate" } }],
    ["onUpdate threw", { jobId: "job-1", error: { message: "in onUpdate" } }],
  ]);
});

test("lets a queue poll with jobs.get, pollDelayMs and isTerminal, as often as a wait would", async () => {
  const scene = waitScene(({ at }) => (at < 60_000 ? "running" : "succeeded"));
  for (;;) {
    const found = await scene.client.jobs.get("job-1");
    if (isTerminal(found)) break;
    await scene.clock.sleep(pollDelayMs(scene.now()));
  }
  expect(scene.now()).toBeLessThanOrEqual(66_000);
  const waited = waitScene(({ at }) => (at < 60_000 ? "running" : "succeeded"));
  await waited.client.waitForJob("job-1");
  expect(Math.abs(scene.polls.length - waited.polls.length)).toBeLessThanOrEqual(2);
});

test("refuses an onAccepted that is no function, before anything is charged", async () => {
  const { client, polls } = waitScene(() => "succeeded");
  const options = { onAccepted: "save" } as object;
  const error = await rejection(
    client.screenshots.createAndWait({ appId: "a", device: "iphone-69" }, options),
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ charged: "no", jobId: undefined });
  expect(polls).toEqual([]);
});
