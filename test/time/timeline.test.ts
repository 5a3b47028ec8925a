import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { Timeline, type TimelineEntry } from "../../src/time/timeline.js";

/** A timeline on virtual time that counts its sleeps, and sleepers that note when they are woken. */
function start() {
  const { clock } = createMock();
  const beganAt = clock.now();
  const now = () => clock.now() - beganAt;
  const sleeps: number[] = [];
  let asleep = 0;
  const sleep = (ms: number, signal?: AbortSignal) => {
    sleeps.push(ms);
    asleep++;
    return clock.sleep(ms, signal).finally(() => asleep--);
  };
  const woken: [name: string, at: number][] = [];
  const sleeper = (name: string, wake = () => {}): TimelineEntry => ({
    dueAt: Number.POSITIVE_INFINITY,
    place: -1,
    wake(at) {
      woken.push([name, at]);
      wake();
    },
  });
  const timeline = new Timeline({ now, sleep }, () => {});
  return { clock, timeline, sleeper, woken, sleeps, asleep: () => asleep };
}

test("wakes each at its time, with one sleep at a time", async () => {
  const { clock, timeline, sleeper, woken, asleep } = start();
  for (const at of [300, 100, 200, 100]) timeline.set(sleeper(`at ${at}`), at);
  expect(asleep()).toBeLessThanOrEqual(2);
  await clock.advance(50);
  expect(asleep()).toBe(1);
  await clock.advance(1000);
  expect(woken).toEqual([
    ["at 100", 100],
    ["at 100", 100],
    ["at 200", 200],
    ["at 300", 300],
  ]);
  expect(asleep()).toBe(0);
});

test("wakes at once what is due already", async () => {
  const { clock, timeline, sleeper, woken, sleeps } = start();
  await clock.advance(100);
  timeline.set(sleeper("late"), 40);
  await clock.advance(0);
  expect(woken).toEqual([["late", 100]]);
  expect(sleeps).toEqual([0]);
});

test("sleeps no more once nobody is to be woken, nor for those who never are", async () => {
  const { clock, timeline, sleeper, woken, asleep, sleeps } = start();
  const [one, other] = [sleeper("one"), sleeper("other")];
  timeline.set(one, 100);
  timeline.set(other, Number.POSITIVE_INFINITY);
  timeline.delete(one);
  await clock.advance(0);
  expect(asleep()).toBe(0);
  await clock.advance(1000);
  expect(woken).toEqual([]);
  timeline.set(one, 1100);
  await clock.advance(1000);
  expect(woken).toEqual([["one", 1100]]);
  expect(sleeps).toEqual([100, 100]);
});

test("leaves a sleep that has become too short, and sleeps anew for one that has become too long", async () => {
  const { clock, timeline, sleeper, woken, sleeps } = start();
  const [one, other] = [sleeper("one"), sleeper("other")];
  timeline.set(one, 100);
  timeline.set(one, 500);
  timeline.set(other, 500);
  expect(sleeps).toEqual([100]);
  await clock.advance(150);
  expect([woken, sleeps]).toEqual([[], [100, 400]]);
  timeline.set(other, 200);
  expect(sleeps).toEqual([100, 400, 50]);
  await clock.advance(1000);
  expect(woken).toEqual([
    ["other", 200],
    ["one", 500],
  ]);
});

test("wakes those that another set again at their new time, and those that another took out never", async () => {
  const { clock, timeline, sleeper, woken } = start();
  const later = Array.from({ length: 8 }, (_, index) => sleeper(`later ${index}`));
  const left = Array.from({ length: 8 }, (_, index) => sleeper(`left ${index}`));
  const first = sleeper("first", () => {
    for (const other of later) timeline.set(other, 300);
    for (const other of left) timeline.delete(other);
  });
  timeline.set(first, 100);
  for (const other of [...later, ...left]) timeline.set(other, 101);
  await clock.advance(1000);
  expect(woken[0]).toEqual(["first", 100]);
  expect(woken.slice(1).sort()).toEqual(later.map((_, index) => [`later ${index}`, 300]));
});

test("wakes some hundreds at a time, and the others in later turns of the event loop", async () => {
  const { clock, timeline, sleeper, woken, sleeps } = start();
  for (let index = 0; index < 600; index++) timeline.set(sleeper(`${index}`), 100);
  await clock.advance(100);
  await clock.advance(10);
  expect(woken.map(([, at]) => at)).toEqual(Array(600).fill(100));
  // After the one for the time itself, one for each portion that follows.
  expect(sleeps).toEqual([100, 0, 0]);
});
