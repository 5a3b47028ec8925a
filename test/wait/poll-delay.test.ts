import fc from "fast-check";
import { ConfigurationError, pollDelayMs } from "screenshot-sets";
import { expect, test } from "vitest";

const duration = fc.double({ min: 0, max: 2 ** 31 - 1, noNaN: true });

test.each([
  [Number.NEGATIVE_INFINITY, 200],
  [-5, 200],
  [0, 200],
  [1_000, 600],
  [4_000, 1_200],
  [1_000_000, 18_973.665961010276],
  [1e12, 30_000],
  [Number.POSITIVE_INFINITY, 30_000],
])("a job that has run for %d ms, as clocks differ, is polled again after %d ms", (elapsedMs, delayMs) => {
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

const isMs = (name: string) => `Expected \`${name}\` to be a number of milliseconds, 0 or more, got`;
test.each<[elapsedMs: unknown, options: object, message: string]>([
  [Number.NaN, {}, `${isMs("elapsedMs")} NaN.`],
  ["1", {}, `${isMs("elapsedMs")} a string.`],
  [0, { minDelayMs: -1 }, `${isMs("minDelayMs")} -1.`],
  [0, { maxDelayMs: -2 }, `${isMs("maxDelayMs")} -2.`],
  [0, { minDelayMs: 2, maxDelayMs: 1 }, "Expected `minDelayMs` to be at most `maxDelayMs`, got 2 and 1."],
])("of %j with %j it is refused in words: %s", (elapsedMs, options, message) => {
  expect(() => pollDelayMs(elapsedMs as number, options)).toThrow(new ConfigurationError(message));
});

test.each([199, 0])("a longest delay of %d ms is the shortest one, too", (maxDelayMs) => {
  const delays = [0, 1e9].map((elapsedMs) => pollDelayMs(elapsedMs, { maxDelayMs }));
  expect(delays).toEqual([maxDelayMs, maxDelayMs]);
});
