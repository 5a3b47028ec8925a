import { expect, test } from "vitest";
import { binCount, binStartMs, Durations } from "../../../src/wait/learn/durations.js";

type Job = [unfinishedAtMs: number, finishedAtMs: number];

const nothingElse = new Float64Array(binCount);
const sum = (shares: Iterable<number>) => [...shares].reduce((total, share) => total + share, 0);

/** The shares after many such jobs, the few that are not relied on yet left out. */
function sharesAfter(...jobs: Job[]): number[] {
  const memory = new Durations();
  for (const job of jobs) memory.add(...job);
  return [...memory.shares(nothingElse)];
}

const fifty = (job: Job) => Array.from({ length: 50 }, () => job);

/** The share of what is remembered that is shorter. */
function shareBelow(ms: number, shares: number[]): number {
  return sum(shares.filter((_, bin) => binStartMs(bin + 1) <= ms)) / sum(shares);
}

test("times that are next to equal are taken in", () => {
  const memory = new Durations();
  memory.add(200 * (1 - Number.EPSILON / 2), 200);
  memory.add(Number.MIN_VALUE, 2 * Number.MIN_VALUE);
  expect(memory.jobs).toBe(2);
  expect(memory.shares().every((share) => share >= 0)).toBe(true);
});

test("a duration lies between the last poll of the unfinished job and the next one, but for the blur", () => {
  const shares = sharesAfter(...fifty([9_000, 10_000]));
  expect(shareBelow(8_450, shares)).toBeLessThan(0.001);
  expect(shareBelow(10_000, shares)).toBeGreaterThan(0.7);
  expect(shareBelow(10_750, shares)).toBeGreaterThan(0.999);
});

test("what is known closely of some jobs tells where the others ended", () => {
  const known = sharesAfter(...fifty([1_900, 2_000]), ...fifty([0, 9_000]));
  expect(shareBelow(2_200, known)).toBeGreaterThan(0.95);
  expect(shareBelow(1_800, known)).toBeLessThan(0.05);
});

test("one half of the jobs tells nothing of the other", () => {
  const memory = new Durations();
  for (let job = 0; job < 64; job++) memory.add(1_900, 2_000);
  const [one, other] = [0, 1].map((half) => memory.shares(nothingElse, half));
  expect(sum(one ?? [])).toBeGreaterThan(0.8);
  expect(sum(other ?? [])).toBeGreaterThan(0.8);
  const single = new Durations();
  single.add(1_900, 2_000);
  expect(sum(single.shares(nothingElse, 1))).toBeLessThan(0.02);
});

test("a single duration is blurred alike to both sides, and by some per cent", () => {
  const shares = sharesAfter(...fifty([10_000 * (1 - 1e-9), 10_000]));
  const middle = shares.indexOf(Math.max(...shares));
  expect(binStartMs(middle)).toBeLessThan(10_000);
  expect(binStartMs(middle + 1)).toBeGreaterThanOrEqual(10_000);
  for (let distance = 1; distance <= 6; distance++) {
    const [before, after] = [shares[middle - distance] as number, shares[middle + distance] as number];
    expect(after).toBeCloseTo(before, 4);
    expect(after).toBeLessThan(shares[middle + distance - 1] as number);
  }
  expect(sum(shares.slice(middle - 6, middle + 7))).toBeCloseTo(sum(shares), 2);
});

test("what lies outside of the bins counts to the nearest of them", () => {
  const shares = (ms: number) => sharesAfter(...fifty([0.9 * ms, ms]));
  expect(shares(1e-9)).toEqual(shares(100));
  expect(shares(1e15)).toEqual(shares(1e9));
  expect(shares(100)[0]).toBeGreaterThan(0.05);
  expect(sum(shares(100).slice(7))).toBeLessThan(0.001);
  expect(shares(1e9).at(-1)).toBeGreaterThan(0.05);
});

test("shares add up to all jobs", () => {
  const memory = new Durations();
  for (let job = 0; job < 50; job++) memory.add(9_000, 10_000);
  expect(memory.shares().reduce((total, share) => total + share, 0)).toBeCloseTo(1, 5);
});
