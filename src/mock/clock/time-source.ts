import type { Quiet } from "./quiet.js";

/** Where a mock's clock takes the time from. All times in milliseconds since 1970 (UTC). */
export interface TimeSource {
  now(): number;
  /** By how much the time was moved forward since the start. */
  leadMs(): number;
  /** Moves the time forward; one that has passed changes nothing. */
  moveTo(time: number): void;
  /** Calls `wake` when it is `dueAt`; replaces an earlier call, and infinity means never. */
  schedule(dueAt: number, wake: () => void): void;
  reset(): void;
}

/** 2026-01-01T00:00:00Z: fixed, so that the same steps give the same times on every run. */
const startTime = Date.UTC(2026, 0, 1);

/** A time that stands still, and jumps to what is due next once all is quiet. */
export function virtualTime(quiet: Quiet): TimeSource {
  let now = startTime;
  function moveTo(time: number) {
    now = Math.max(now, time);
  }
  return {
    now: () => now,
    leadMs: () => now - startTime,
    moveTo,
    schedule(dueAt, wake) {
      if (dueAt === Number.POSITIVE_INFINITY) return quiet.cancel();
      quiet.when(() => {
        moveTo(dueAt);
        wake();
      });
    },
    reset() {
      now = startTime;
    },
  };
}

/** The longest delay of a timer; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * The system's time, plus what it was advanced by. `Date`, `setTimeout` and `clearTimeout` are the global ones as they
 * are at each call, so that a runner's fake timers drive it.
 */
export function systemTime(): TimeSource {
  let offsetMs = 0;
  let stop: (() => void) | undefined;
  const now = () => Date.now() + offsetMs;

  function schedule(dueAt: number, wake: () => void): void {
    stop?.();
    stop = undefined;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const { setTimeout, clearTimeout } = globalThis;
    const delayMs = Math.min(Math.max(dueAt - now(), 0), longestDelayMs);
    // A timer may fire a fraction of a millisecond early: it is set again rather than believed.
    const timer = setTimeout(() => (now() < dueAt ? schedule(dueAt, wake) : wake()), delayMs);
    stop = () => clearTimeout(timer);
  }

  return {
    now,
    leadMs: () => offsetMs,
    moveTo(time) {
      offsetMs += Math.max(time - now(), 0);
    },
    schedule,
    reset() {
      offsetMs = 0;
    },
  };
}
