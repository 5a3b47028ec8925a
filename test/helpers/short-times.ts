import { afterAll, beforeAll } from "vitest";
import { lockTimes } from "../../src/batch/file-lock.js";
import { recordAge } from "../../src/durable/record-age.js";
import { storeRetries } from "../../src/durable/retry-until-stored.js";

/** Locks that beat ten times a second, of holders that count as dead after a second. */
export const shortLockTimes = { beatMs: 100, lookMs: 50, looks: 20 };

/** For a holder and others in one process, which see each other at once. */
export const shorterLockTimes = { beatMs: 5, lookMs: 10, looks: 30 };

/** Shortens the times of locks for the tests of one file. */
export function shortenLockTimes(times = shortLockTimes): void {
  shorten(lockTimes, times);
}

/** Shortens how long creates count as in flight, for the tests of one file. */
export function shortenRecordAge(inFlightMs: number): void {
  shorten(recordAge, { longestTimeoutMs: 0, graceMs: inFlightMs });
}

/** Shortens how long what follows a create is tried to be stored, for the tests of one file. */
export function shortenStoreRetries(): void {
  shorten(storeRetries, { firstPauseMs: 1, longestPauseMs: 2, allMs: 20 });
}

function shorten<Times extends object>(times: Times, shorter: Partial<Times>): void {
  const usual = { ...times };
  beforeAll(() => void Object.assign(times, shorter));
  afterAll(() => void Object.assign(times, usual));
}
