import { expect, test } from "vitest";
import { mixed } from "../../../bench/waiting/durations.js";
import { randomFrom } from "../../../bench/waiting/random.js";
import { binCount, binStartMs, Durations } from "../../../src/wait/learn/durations.js";
import { answerMs, placePolls } from "../../../src/wait/learn/place-polls.js";

test("a plan leads from poll to poll until its end, whatever the durations", () => {
  for (let every = 1; every < binCount; every *= 2) {
    const shares = Float64Array.from({ length: binCount }, (_, bin) =>
      bin % every === 0 ? every / binCount : 0,
    );
    const { next, last } = placePolls(shares, 0.01, () => 30_000);
    expect(last).toBeLessThanOrEqual(binCount);
    expect([...next].slice(0, last).every((to, from) => to > from && to <= last)).toBe(true);
  }
});

/** The lateness of all jobs that end between two edges. */
function latenessBetween(shares: Float64Array, from: number, to: number): number {
  let lateness = 0;
  for (let bin = from; bin < to; bin++) {
    const durationMs = (binStartMs(bin) + binStartMs(bin + 1)) / 2;
    lateness += ((shares[bin] as number) * (binStartMs(to) + answerMs - durationMs)) / durationMs;
  }
  return lateness;
}

test.each([
  ["jobs of one duration", 1, 20_000],
  ["jobs of two durations", 0.5, 90_000],
])("no other sequence of allowed polls costs less: %s", (_, share, otherMs) => {
  const [durations, random] = [new Durations(), randomFrom(1)];
  for (let job = 0; job < 30; job++) {
    const ms = mixed(share, 20_000, otherMs)(random);
    durations.add(0.9 * ms, 1.1 * ms);
  }
  const shares = durations.shares();
  const longestGapMs = (ms: number) => 1_000 + ms / 4;
  const price = 0.01;
  const { next, last, ended } = placePolls(shares, price, longestGapMs);

  const costs = new Float64Array(last + 1);
  for (let from = last - 1; from >= 0; from--) {
    const still = shares.subarray(from, last).reduce((sum, share) => sum + share, 0);
    const costOf = (to: number) => price * still + latenessBetween(shares, from, to) + (costs[to] as number);
    const isAllowed = (to: number) =>
      to === from + 1 || binStartMs(to) - binStartMs(from) <= longestGapMs(binStartMs(to));
    const allowed = Array.from({ length: last - from }, (_, at) => from + 1 + at).filter(isAllowed);
    expect(allowed).toContain(next[from]);
    costs[from] = costOf(next[from] as number);
    expect(costs[from]).toBeLessThanOrEqual(Math.min(...allowed.map(costOf)) + 1e-12);
  }
  expect(ended[last]).toBeGreaterThan(0.99);
});
