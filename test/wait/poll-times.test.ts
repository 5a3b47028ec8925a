import { expect, test } from "vitest";
import { PollTimes } from "../../src/wait/poll-times.js";
import { Waiter } from "../../src/wait/waiter.js";

const never = Number.POSITIVE_INFINITY;
const handler = { onUpdate() {}, onEnd() {} };

/** One who waits from 0 to 10,000, and whose last poll thus comes from 9500 on. */
const waiter = (minDelayMs: number, maxDelayMs = 30_000) =>
  new Waiter({ timeoutMs: 10_000, delays: { minDelayMs, maxDelayMs } }, 0, false, handler);

/** A plan that always wants the same delay, and notes what it is taught. */
function fixedPlan(delayMs = 1000) {
  const learned: [unfinishedAt: number, finishedAt: number][] = [];
  return { learned, delayMs: () => delayMs, learn: (...times: [number, number]) => void learned.push(times) };
}

/** The times after a poll from one time to another, of a job that is polled at a pace. */
function after(
  sentAt: number,
  endedAt: number,
  { paceMs = 1000, askedMs = Number.NaN, hasFailed = false } = {},
) {
  const times = new PollTimes(fixedPlan(paceMs), 0, 0);
  times.sent(sentAt);
  times.ended(
    endedAt,
    Number.isNaN(askedMs) ? undefined : askedMs,
    hasFailed ? { error: "503" } : "unfinished",
  );
  return times;
}

test("a job ended between the last poll that found it unfinished and the one that found it ended", () => {
  const plan = fixedPlan();
  const times = new PollTimes(plan, 1000, 1500);
  times.sent(2000);
  // Nobody had polled before 1500.
  times.ended(2100, undefined, "ended");
  times.ended(2100, undefined, "unfinished");
  times.sent(4000);
  times.ended(4100, undefined, "ended");
  expect(plan.learned).toEqual([
    [500, 1000],
    [1000, 3000],
  ]);
  expect(times.sentAt).toBe(4000);
});

test("a poll that the service asked for says nothing of when a job ended", () => {
  const plan = fixedPlan();
  const times = new PollTimes(plan, 0, 0);
  times.sent(1000);
  times.ended(1000, 500, "unfinished");
  times.sent(1500);
  times.ended(1600, undefined, "ended");
  expect(plan.learned).toEqual([[never, 1500]]);
});

test("each poll draws a jitter from 0.9 to 1.1, and keeps it until it ends", () => {
  const drawn: number[] = [];
  const plan = { learn() {}, delayMs: (_: number, jitter: number) => drawn.push(jitter) };
  const times = new PollTimes(plan, 0, 0);
  for (let poll = 0; poll < 200; poll++) {
    times.nextFor(waiter(200), 0);
    times.nextFor(waiter(200), 0);
    times.ended(0, undefined, "unfinished");
  }
  expect(new Set(drawn).size).toBe(200);
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0.9);
  expect(Math.min(...drawn)).toBeLessThan(0.92);
  expect(Math.max(...drawn)).toBeGreaterThan(1.08);
  expect(Math.max(...drawn)).toBeLessThanOrEqual(1.1);
});

test("the next poll comes a pause after the last one ended, and not before the job began", () => {
  expect(after(2000, 2300, { paceMs: 700 }).nextFor(waiter(200), 2300)).toBe(3000);
  expect(new PollTimes(fixedPlan(700), 5000, 0).nextFor(waiter(200), 0)).toBe(5700);
});

test("the first poll of one who wants to know at once comes now, also before an endless pause", () => {
  const terms = { timeoutMs: 10_000, delays: { minDelayMs: never, maxDelayMs: never } };
  const eager = new Waiter(terms, 0, true, handler);
  expect(new PollTimes(fixedPlan(never), 0, 0).nextFor(eager, 0)).toBe(0);
  expect(after(0, 0, { paceMs: never }).nextFor(eager, 0)).toBe(never);
});

test.each([
  [9499, 9499],
  [9500, never],
  [9600, never],
])("a poll that would come at %d leaves that to the last poll: %d", (at, expected) => {
  expect(after(0, 0, { paceMs: at }).nextFor(waiter(200), 0)).toBe(expected);
});

test("a poll that is overdue when the time of the last poll has come leaves it to that", () => {
  expect(after(0, 0, { paceMs: 9000 }).nextFor(waiter(200), 9500)).toBe(never);
});

test("a poll is left out where its answer and a pause would leave no time for the last poll", () => {
  expect(after(0, 0, { paceMs: 9450 }).nextFor(waiter(551), 0)).toBe(never);
  expect(after(0, 0, { paceMs: 9450 }).nextFor(waiter(549), 0)).toBe(9450);
  // An answer took 400 last time.
  expect(after(0, 400, { paceMs: 9050 }).nextFor(waiter(200), 0)).toBe(never);
  expect(after(0, 300, { paceMs: 9150 }).nextFor(waiter(200), 0)).toBe(9450);
  // It is not taken to be longer than the time for the last poll.
  expect(after(0, 5000, { paceMs: 4200 }).nextFor(waiter(200), 5000)).toBe(9200);
});

test("a poll that the service asked for needs no pause after it", () => {
  expect(after(9000, 9000, { askedMs: 300 }).nextFor(waiter(1000), 9000)).toBe(9300);
  expect(after(9000, 9000, { askedMs: 490 }).nextFor(waiter(1000), 9000)).toBe(9490);
});

test.each([
  ["comes earlier", 700, 1499, 8800],
  ["comes earlier, just a pause after the last one", 750, 1499, 8750],
  ["comes a pause after the one before, with as much time after it", 999, 1499, 8999],
  ["is left out where there is no time for two pauses", 1000, 1499, never],
  ["is left out where the pause without it is not too long", 700, 1500, never],
])("a poll with too little time for the last poll %s", (_, minDelayMs, maxDelayMs, expected) => {
  expect(after(8000, 8000, { paceMs: 1400 }).nextFor(waiter(minDelayMs, maxDelayMs), 8000)).toBe(expected);
});

test("a poll that the service asked for does not come earlier", () => {
  expect(after(8000, 8490, { askedMs: 1005 }).nextFor(waiter(300, 1000), 8490)).toBe(never);
});

test.each([
  ["as soon as it may", 9000, 200, 9500],
  ["a pause after the last poll", 9400, 599, 9999],
  ["half a second after the last poll, where a pause would last beyond the deadline", 9400, 600, 9900],
  ["at the deadline, which is never, where the last poll ended too late", 9700, 300, 10_000],
])("the last poll comes %s", (_, endedAt, minDelayMs, expected) => {
  expect(after(8000, endedAt).lastFor(waiter(minDelayMs))).toBe(expected);
});

test("a poll that was sent in the time for the last poll was that", () => {
  expect(after(9499, 9600).lastFor(waiter(200))).toBe(9800);
  expect(after(9500, 9600).lastFor(waiter(200))).toBe(10_000);
});

test("a last poll heeds the Retry-After of a failure, and none on an answer", () => {
  const times = (askedMs: number, hasFailed: boolean) => after(9000, 9000, { askedMs, hasFailed });
  expect(times(700, true).lastFor(waiter(200))).toBe(9700);
  expect(times(2000, true).lastFor(waiter(200))).toBe(10_000);
  expect(times(700, false).lastFor(waiter(200))).toBe(9500);
  expect(times(Number.NaN, true).lastFor(waiter(200))).toBe(9500);
});
