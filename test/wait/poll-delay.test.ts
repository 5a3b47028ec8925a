import fc from "fast-check";
import { ConfigurationError, pollDelayMs } from "screenshot-sets";
import { expect, test } from "vitest";

const duration = fc.double({ min: 0, max: 2 ** 31 - 1, noNaN: true });

test.each([
  [0, 200],
  [100, 200],
  [1_000, 600],
  [4_000, 1_200],
  [100_000, 6_000],
  [1_000_000, 18_973.665961010276],
  [2_500_000, 30_000],
  [1e12, 30_000],
  [Number.POSITIVE_INFINITY, 30_000],
])("a job that has run for %d ms is polled again after %d ms", (elapsedMs, delayMs) => {
  expect(pollDelayMs(elapsedMs)).toBeCloseTo(delayMs, 6);
});

test("the delay never leaves its limits, and never shrinks while a job runs", () => {
  fc.assert(
    fc.property(duration, duration, duration, duration, (first, second, third, fourth) => {
      const [minDelayMs, maxDelayMs] = [Math.min(first, second), Math.max(first, second)];
      const [sooner, later] = [Math.min(third, fourth), Math.max(third, fourth)];
      const delays = [sooner, later].map((elapsedMs) => pollDelayMs(elapsedMs, { minDelayMs, maxDelayMs }));
      expect(delays[0]).toBeGreaterThanOrEqual(minDelayMs);
      expect(delays[1]).toBeGreaterThanOrEqual(delays[0] as number);
      expect(delays[1]).toBeLessThanOrEqual(maxDelayMs);
    }),
  );
});

test.each([-5, -1e15, Number.NEGATIVE_INFINITY])(
  "takes an age of %s, as clocks differ, for none",
  (elapsedMs) => {
    expect(pollDelayMs(elapsedMs)).toBe(pollDelayMs(0));
  },
);

test.each([
  [() => pollDelayMs(Number.NaN), "Expected `elapsedMs` to be a number of milliseconds, 0 or more, got NaN."],
  [
    () => pollDelayMs("1" as unknown as number),
    "Expected `elapsedMs` to be a number of milliseconds, 0 or more, got a string.",
  ],
  [
    () => pollDelayMs(0, { minDelayMs: -1 }),
    "Expected `minDelayMs` to be a number of milliseconds, 0 or more, got -1.",
  ],
  [
    () => pollDelayMs(0, { maxDelayMs: -2 }),
    "Expected `maxDelayMs` to be a number of milliseconds, 0 or more, got -2.",
  ],
  [
    () => pollDelayMs(0, { minDelayMs: 2, maxDelayMs: 1 }),
    "Expected `minDelayMs` to be at most `maxDelayMs`, got 2 and 1.",
  ],
])("%s is refused in words: %s", (call, message) => {
  expect(call).toThrow(new ConfigurationError(message));
});

test.each([199, 1, 0])("a longest delay of %d ms is the shortest one, too", (maxDelayMs) => {
  expect([0, 1e9].map((elapsedMs) => pollDelayMs(elapsedMs, { maxDelayMs }))).toEqual([
    maxDelayMs,
    maxDelayMs,
  ]);
});

test("limits that are undefined are the usual ones", () => {
  const none = { minDelayMs: undefined, maxDelayMs: undefined } as object;
  expect([0, 1e9].map((elapsedMs) => pollDelayMs(elapsedMs, none))).toEqual([200, 30_000]);
});
