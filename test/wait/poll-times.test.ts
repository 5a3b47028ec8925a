import { expect, test } from "vitest";
import { PollTimes } from "../../src/wait/poll-times.js";
import { Waiter } from "../../src/wait/waiter.js";

const never = Number.POSITIVE_INFINITY;
const nobody = { update() {}, end() {} };

/** One who waits from 0 to 10,000, and thus looks a last time from 9500 on. */
const waiter = (minDelayMs: number, maxDelayMs = 30_000) =>
  new Waiter({ timeoutMs: 10_000, minDelayMs, maxDelayMs }, 0, false, nobody);

/** After a poll from one time to another. */
function after(sentAt: number, endedAt = sentAt) {
  const times = new PollTimes(0, 0);
  times.sent(sentAt);
  times.ended(endedAt);
  return times;
}

test("a job ended between the last look that found it unfinished and the one that found it ended", () => {
  const times = new PollTimes(1000, 1500);
  times.sent(2000);
  // Nobody had looked before 1500.
  expect(times.endedBetweenMs).toEqual([500, 1000]);
  times.unfinished();
  times.ended(2100);
  times.sent(4000);
  expect(times.endedBetweenMs).toEqual([1000, 3000]);
  expect(times.sentAt).toBe(4000);
});

test("a look that the service asked for says nothing of when a job ended", () => {
  const times = after(1000);
  times.asked(1000, 500, false);
  times.sent(1500);
  expect(times.endedBetweenMs).toEqual([never, 1500]);
});

test("the next poll comes a pause after the last one ended, and not before the job began", () => {
  expect(after(2000, 2300).nextFor(waiter(200), 700, 2300)).toBe(3000);
  expect(new PollTimes(5000, 0).nextFor(waiter(200), 700, 0)).toBe(5700);
});

test("the first poll of one who wants to know at once comes now, also before an endless pause", () => {
  const terms = { timeoutMs: 10_000, minDelayMs: never, maxDelayMs: never };
  const eager = new Waiter(terms, 0, true, nobody);
  expect(new PollTimes(0, 0).nextFor(eager, never, 0)).toBe(0);
  expect(after(0).nextFor(eager, never, 0)).toBe(never);
});

test.each([
  [9499, 9499],
  [9500, never],
  [9600, never],
])("a poll that would come at %d leaves that to the last look: %d", (at, expected) => {
  expect(after(0).nextFor(waiter(200), at, 0)).toBe(expected);
});

test("a poll that is overdue when the time of the last look has come leaves it to that", () => {
  expect(after(0).nextFor(waiter(200), 9000, 9500)).toBe(never);
});

test("a poll is left out where its answer and a pause would leave no time for the last look", () => {
  expect(after(0).nextFor(waiter(551), 9450, 0)).toBe(never);
  expect(after(0).nextFor(waiter(549), 9450, 0)).toBe(9450);
  // An answer took 400 last time.
  expect(after(0, 400).nextFor(waiter(200), 9050, 0)).toBe(never);
  expect(after(0, 300).nextFor(waiter(200), 9150, 0)).toBe(9450);
  // It is not taken to be longer than the time for the last look.
  expect(after(0, 5000).nextFor(waiter(200), 4200, 5000)).toBe(9200);
});

test("a poll that the service asked for needs no pause after it", () => {
  const times = after(9000);
  times.asked(9000, 300, false);
  expect(times.nextFor(waiter(1000), 1000, 9000)).toBe(9300);
  times.asked(9000, 490, false);
  expect(times.nextFor(waiter(1000), 1000, 9000)).toBe(9490);
});

test.each([
  ["comes earlier", 700, 1499, 8800],
  ["comes earlier, just a pause after the last one", 750, 1499, 8750],
  ["is left out where there is no pause before it", 751, 1499, never],
  ["is left out where the pause without it is not too long", 700, 1500, never],
])("a poll with too little time for the last look %s", (_, minDelayMs, maxDelayMs, expected) => {
  expect(after(8000).nextFor(waiter(minDelayMs, maxDelayMs), 1400, 8000)).toBe(expected);
});

test("a poll that the service asked for does not come earlier", () => {
  const times = after(8000, 8490);
  times.asked(8490, 1005, false);
  expect(times.nextFor(waiter(300, 1000), 1000, 8490)).toBe(never);
});

test.each([
  ["as soon as it may", 9000, 200, 9500],
  ["a pause after the last poll", 9400, 599, 9999],
  ["half a second after the last poll, where a pause would last beyond the deadline", 9400, 600, 9900],
  ["at the deadline, which is never, where the last poll ended too late", 9700, 300, 10_000],
])("the last look comes %s", (_, endedAt, minDelayMs, expected) => {
  expect(after(8000, endedAt).lastLookFor(waiter(minDelayMs))).toBe(expected);
});

test("a poll that was sent in the time for the last look was that", () => {
  expect(after(9499, 9600).lastLookFor(waiter(200))).toBe(9800);
  expect(after(9500, 9600).lastLookFor(waiter(200))).toBe(10_000);
});

test("a last look heeds the Retry-After of a failure, and none on an answer", () => {
  const times = after(9000);
  times.asked(9000, 700, true);
  expect(times.lastLookFor(waiter(200))).toBe(9700);
  times.asked(9000, 2000, true);
  expect(times.lastLookFor(waiter(200))).toBe(10_000);
  times.asked(9000, 700, false);
  expect(times.lastLookFor(waiter(200))).toBe(9500);
  times.asked(9000, undefined, true);
  expect(times.lastLookFor(waiter(200))).toBe(9500);
});
