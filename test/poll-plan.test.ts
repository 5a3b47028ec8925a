import fc from "fast-check";
import { ConfigurationError, pollDelayMs } from "screenshot-sets";
import { expect, test } from "vitest";

const duration = fc.double({ min: 0, max: 1e12, noNaN: true });

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
])("a job that has run for %d ms is looked at again after %d ms", (elapsedMs, delayMs) => {
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

test.each([
  ["a negative time", () => pollDelayMs(-1)],
  ["a time that is no number", () => pollDelayMs(Number.NaN)],
  ["a negative delay", () => pollDelayMs(0, { minDelayMs: -1 })],
  ["a shortest delay above the longest", () => pollDelayMs(0, { minDelayMs: 2, maxDelayMs: 1 })],
])("%s is a ConfigurationError", (_, call) => {
  expect(call).toThrow(ConfigurationError);
});
