import fc from "fast-check";
import { pollDelayMs } from "screenshot-sets";
import { expect, test, vi } from "vitest";
import { randomFrom } from "../../bench/waiting/random.js";
import { draws } from "../helpers/draws.js";
import { rejection } from "../helpers/rejection.js";
import { everySecond, job, waitScene } from "../helpers/wait-scene.js";

/** The clock shows milliseconds since 1970, of which a number holds fewer decimals. */
const rounding = 0.001;

const gaps = (times: number[]) => times.slice(1).map((time, index) => time - (times[index] as number));
const running = (retryAfter: string, more?: object) => ({
  status: 200,
  headers: { "retry-after": retryAfter, ...more },
  body: job("job-1", "running"),
});

test("sends the first poll at once", async () => {
  const scene = waitScene(() => "succeeded");
  const wait = scene.client.waitForJob("job-1");
  await Promise.resolve();
  await Promise.resolve();
  expect(scene.times()).toEqual([0]);
  await wait;
});

test("lets the delay between polls grow with the time that the job has run, from the shortest to the longest", async () => {
  const scene = waitScene(({ at }) => (at < 3_600_000 ? "running" : "succeeded"));

  await scene.client.waitForJob("job-1", { timeoutMs: 5_000_000 });

  const delays = gaps(scene.times());
  for (const [index, delay] of delays.entries()) {
    const normal = pollDelayMs(scene.times()[index] as number);
    expect(delay).toBeGreaterThanOrEqual(Math.max(200, normal * 0.9));
    // Timers count in whole milliseconds.
    expect(delay).toBeLessThan(Math.min(30_000, normal * 1.1) + 1);
  }
  expect(delays[0]).toBeLessThan(221);
  expect(delays.at(-1)).toBeGreaterThanOrEqual(27_000);
});

test("spreads the polls of jobs that were begun together", async () => {
  vi.spyOn(Math, "random").mockImplementation(randomFrom(1));
  const scene = waitScene(({ at }) => (at < 60_000 ? "running" : "succeeded"));
  const ids = Array.from({ length: 20 }, (_, index) => `job-${index}`);

  await Promise.all(ids.map((id) => scene.client.waitForJob(id)));

  const last = ids.map((id) => scene.times(id).at(-1));
  // Two may well meet in one millisecond.
  expect(new Set(last).size).toBeGreaterThan(15);
});

test.each<[what: string, retryAfter: string, expected: number, more: object]>([
  ["of nothing at all, down to a floor", "0", 20, {}],
  ["beyond the longest delay", "45", 45_000, {}],
  ["beyond a minute", "100", 100_000, {}],
  ["after a retry-after-ms", "9", 1234, { "retry-after-ms": "1234" }],
  ["that makes no sense, which is none", "soon", 1000, {}],
])("follows a Retry-After %s on the job's answer", async (_, retryAfter, expected, more) => {
  const scene = waitScene(({ count }) => (count < 3 ? running(retryAfter, more) : "succeeded"));
  await scene.client.waitForJob("job-1", everySecond);
  expect(gaps(scene.times())).toEqual([expected, expected, expected]);
});

test("never follows a Retry-After past the last poll", async () => {
  const scene = waitScene(() => running("3600"));
  const error = await rejection(scene.client.waitForJob("job-1", { timeoutMs: 60_000 }));
  expect(scene.times()).toEqual([0, 59_500]);
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 2 });
});

test("counts the delay from the answer, however long that took", async () => {
  const scene = waitScene(({ count }) => (count < 2 ? "running" : "succeeded"), { takesMs: 3000 });
  await scene.client.waitForJob("job-1", everySecond);
  expect(scene.times()).toEqual([0, 4000, 8000]);
  expect(scene.now()).toBe(11_000);
});

test("keeps to the shortest and the longest delay, and to the last poll, whatever they are", async () => {
  const property = async (minDelayMs: number, more: number, timeoutMs: number, takesMs: number) => {
    const maxDelayMs = minDelayMs + more;
    const scene = waitScene(() => "running", { takesMs });
    await rejection(scene.client.waitForJob("job-1", { minDelayMs, maxDelayMs, timeoutMs }));

    const times = scene.times();
    const last = times.pop() as number;
    // A slow answer may come in the time of the last poll.
    expect(last + takesMs).toBeGreaterThan(timeoutMs - Math.min(500, timeoutMs / 10) - rounding);
    expect(last).toBeLessThan(timeoutMs);
    const pauses = gaps(times).map((gap) => gap - takesMs);
    for (const pause of pauses) {
      expect(pause).toBeGreaterThanOrEqual(minDelayMs - rounding);
      expect(pause).toBeLessThanOrEqual(maxDelayMs + rounding);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 10, max: 3000 }),
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 50, max: 20_000 }),
      fc.constantFrom(0, 0, 30, 200, 700),
      property,
    ),
    { numRuns: draws(120) },
  );
});

test.each([0, 1000])(
  "comes to its deadline with a shortest delay of 0 and a longest of %d",
  async (maxDelayMs) => {
    const scene = waitScene(() => "running");
    const wait = scene.client.waitForJob("job-1", { minDelayMs: 0, maxDelayMs, timeoutMs: 200 });
    expect(await rejection(wait)).toMatchObject({ name: "JobTimeoutError", elapsedMs: 200 });
    for (const delay of gaps(scene.times())) expect(delay).toBeGreaterThanOrEqual(1 - rounding);
  },
);
