import { pollDelayMs } from "screenshot-sets";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { type Poll, type Reply, waitScene } from "../helpers/wait-scene.js";

const ids = (count: number) => Array.from({ length: count }, (_, index) => `job-${index}`);
const refusal = (retryAfter?: string): Reply => ({
  status: 429,
  headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
});

/** Requests that were under way at once, at the most, of those sent in a stretch of time. */
function mostInFlight(polls: Poll[], from: number, to: number): number {
  const sent = polls.filter(({ at }) => at >= from && at < to);
  const underWay = sent.map(
    ({ at }) => sent.filter((one) => one.at <= at && (one.endedAt ?? at) > at).length,
  );
  return Math.max(0, ...underWay);
}

test("lets all polls of the client rest until the Retry-After of a single 429", async () => {
  const scene = waitScene(
    ({ jobId, at }) => (jobId === "job-7" && at > 1000 && at < 2000 ? refusal("30") : "running"),
    { takesMs: 50 },
  );
  const waits = ids(20).map((id) => rejection(scene.client.waitForJob(id, { timeoutMs: 60_000 })));
  await Promise.all(waits);

  const refusedAt = scene.polls.find(({ jobId, at }) => jobId === "job-7" && at > 1000)?.endedAt as number;
  const during = scene.polls.filter(({ at }) => at > refusedAt && at < refusedAt + 30_000);
  const after = scene.polls.filter(({ at }) => at >= refusedAt + 30_000);
  expect(during).toEqual([]);
  expect(new Set(after.map(({ jobId }) => jobId))).toEqual(new Set(ids(20)));
  expect(after[0]?.at).toBe(refusedAt + 30_000);
});

test("lets a wait that began during the rest begin its polls after it", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "refused" ? refusal("5") : "succeeded"));
  const refused = rejection(scene.client.waitForJob("refused", { timeoutMs: 5000 }));
  scene.at(1000, () => void scene.client.waitForJob("newcomer"));

  await refused;
  await scene.clock.advance(1000);

  expect(scene.polls.map(({ jobId, at }) => [jobId, at])).toEqual([
    ["refused", 0],
    ["newcomer", 5000],
  ]);
});

test("sends the last poll of a wait that ends during the rest all the same", async () => {
  const scene = waitScene(({ jobId }) => (jobId === "refused" ? refusal("30") : "running"));
  const waits = [
    rejection(scene.client.waitForJob("short", { timeoutMs: 10_000, minDelayMs: 1000 })),
    rejection(scene.client.waitForJob("refused")),
  ];

  const [error] = await Promise.all(waits);

  const timesOf = (id: string) => scene.polls.filter(({ jobId }) => jobId === id).map(({ at }) => at);
  expect(timesOf("short")).toEqual([0, 9500]);
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 2, elapsedMs: 10_000 });
});

test("keeps a single job at its normal pace through 429 without a Retry-After", async () => {
  const scene = waitScene(({ at }) => (at < 60_000 ? refusal() : "succeeded"));
  await scene.client.waitForJob("job-1");
  const times = scene.times();
  for (const [index, at] of times.slice(1).entries()) {
    const before = times[index] as number;
    expect(Math.abs((at - before) / pollDelayMs(before) - 1)).toBeLessThan(0.101);
  }
});

test("rests longer after each 429 without a Retry-After, while one job goes on polling at its own pace", async () => {
  const scene = waitScene(({ at }) => (at < 20_000 ? refusal() : "running"), { takesMs: 10 });
  const terms = { minDelayMs: 1000, maxDelayMs: 1000, timeoutMs: 22_000 };
  await Promise.all(ids(50).map((id) => rejection(scene.client.waitForJob(id, terms))));

  const perTime = new Map<number, number>();
  for (const at of scene.times()) perTime.set(at, (perTime.get(at) ?? 0) + 1);
  const alone = (...times: number[]) => times.map((at) => [at, 1]);
  expect([...perTime].slice(0, 21)).toEqual([
    ...[[0, 50], [1010, 32], [2020, 16], ...alone(3030)],
    ...[[4030, 8], ...alone(5040, 6050, 7060)],
    ...[[8040, 4], ...alone(9050, 10_060, 11_070, 12_080, 13_090, 14_100, 15_110)],
    ...[[16_050, 2], ...alone(17_060, 18_070, 19_080, 20_090)],
  ]);
  // The last of these is answered, and wakes the others.
  expect([...perTime].slice(21, 24)).toEqual([
    [20_100, 2],
    [20_110, 2],
    [20_120, 3],
  ]);
});

test("goes on polling all other jobs when one alone is answered 429 for ever", async () => {
  const scene = waitScene(({ jobId, at }) =>
    jobId === "refused" ? refusal() : at < 300_000 ? "running" : "succeeded",
  );

  await Promise.all([
    rejection(scene.client.waitForJob("refused")),
    ...ids(20).map((id) => scene.client.waitForJob(id)),
  ]);

  for (const id of ids(20)) {
    const times = scene.polls.filter(({ jobId }) => jobId === id).map(({ at }) => at);
    const pauses = times.slice(1).map((at, index) => at - (times[index] as number));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000);
    expect(times.at(-1)).toBeLessThanOrEqual(330_000);
  }
});

test("halves what may be in flight, and grows it again by about one with each round of good answers", async () => {
  const scene = waitScene(({ at }) => (at >= 2000 && at < 2100 ? refusal("1") : "running"), { takesMs: 100 });
  const terms = { minDelayMs: 200, maxDelayMs: 200, timeoutMs: 8000 };
  await Promise.all(ids(200).map((id) => rejection(scene.client.waitForJob(id, terms))));

  const rounds = [1900, 2100, 3000, 3100, 3200, 3300, 3400, 7000];
  expect(rounds.map((at) => mostInFlight(scene.polls, at, at + 100))).toEqual([64, 0, 0, 32, 32, 33, 34, 64]);
});

test("goes at the usual pace for all other jobs when one is answered 503 with a Retry-After", async () => {
  const unwell: Reply = { status: 503, headers: { "retry-after": "30" } };
  const scene = waitScene(({ jobId, at }) =>
    jobId === "unwell" && at < 1000 ? unwell : at < 20_000 ? "running" : "succeeded",
  );

  await Promise.all(["unwell", "well"].map((id) => scene.client.waitForJob(id)));

  const timesOf = (id: string) => scene.polls.filter(({ jobId }) => jobId === id).map(({ at }) => at);
  expect(timesOf("unwell")).toEqual([0, 30_000]);
  expect(timesOf("well").length).toBeGreaterThan(5);
});

test("says in the log that the polls slow down, once for those that were refused together", async () => {
  const warnings: unknown[] = [];
  const warn = (message: string, fields?: object) => void warnings.push([message, fields]);
  const logger = { debug() {}, info() {}, warn, error() {} };
  const scene = waitScene(({ at }) => (at < 1000 ? refusal("2") : "succeeded"), { logger, takesMs: 10 });

  await Promise.all(ids(10).map((id) => scene.client.waitForJob(id)));

  expect(warnings).toEqual([["All polls slow down after a 429", { delayMs: 2000 }]]);
});

test("lets the others rest for half a minute at most, however long one of them is told to", async () => {
  const scene = waitScene(({ jobId, at }) =>
    jobId === "refused" ? refusal("3600") : at < 40_000 ? "running" : "succeeded",
  );
  const terms = { minDelayMs: 1000, maxDelayMs: 1000 };
  const refused = rejection(scene.client.waitForJob("refused"));
  scene.at(500, () => void scene.client.waitForJob("newcomer", terms));
  await refused;
  await scene.clock.advance(60_000);

  const times = scene.polls.filter(({ jobId }) => jobId === "newcomer").map(({ at }) => at);
  expect(times.slice(0, 3)).toEqual([30_000, 31_000, 32_000]);
  expect(times.at(-1)).toBe(40_000);
});
