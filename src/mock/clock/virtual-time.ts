import type { Quiet } from "./quiet.js";

/** Where a mock's clock takes the time from. All times in milliseconds since 1970 (UTC). */
export interface TimeSource {
  now(): number;
  /** Moves the time forward; one that has passed changes nothing. */
  moveTo(time: number): void;
  /** Calls `wake` when it is `dueAt`; replaces an earlier call, and infinity means never. */
  schedule(dueAt: number, wake: () => void): void;
  /** Back to the start. */
  reset(): void;
}

/** 2026-01-01T00:00:00Z: fixed, so that the same steps give the same times on every run. */
const startTime = Date.UTC(2026, 0, 1);

/** A time that stands still, and jumps to what is due next once all is quiet. */
export function createVirtualTime(quiet: Quiet): TimeSource {
  let now = startTime;

  function moveTo(time: number) {
    now = Math.max(now, time);
  }

  return {
    now: () => now,
    moveTo,
    schedule(dueAt, wake) {
      if (dueAt === Number.POSITIVE_INFINITY) {
        quiet.cancel();
        return;
      }
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
