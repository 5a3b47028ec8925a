import { onAbort } from "./on-abort.js";

/** The time that every delay, attempt time-out and deadline runs on. */
export interface Clock {
  /** Milliseconds since any fixed instant. Never goes back. */
  now(): number;
  /**
   * Resolves after `ms` milliseconds; several sleeps may run at once. On abort it rejects with the signal's
   * reason and frees its timer.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A longer timer fires at once: https://developer.mozilla.org/docs/Web/API/Window/setTimeout#maximum_delay_value */
const longestTimerMs = 2 ** 31 - 1;

/** The globals are looked up at each call, so that a test runner's fake timers drive this clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = startTimer(ms, () => {
        deafen();
        resolve();
      });
      const deafen = onAbort(signal, () => {
        cancel();
        reject(signal?.reason);
      });
    }),
};

/** Calls `callback` once `ms` milliseconds have passed on the clock. Returns what cancels it. */
export function after(clock: Clock, ms: number, callback: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  if (clock === systemClock) return startTimer(ms, callback);
  const controller = new AbortController();
  const { signal } = controller;
  const sleep = (left: number) => {
    // A clock of the user's may well hand this to a timer as it is.
    const part = Math.min(left, longestTimerMs);
    const wake = () => {
      if (signal.aborted) return;
      if (left > part) sleep(left - part);
      else callback();
    };
    clock.sleep(part, signal).then(wake, wake);
  };
  sleep(ms);
  return () => controller.abort("cancelled");
}

function startTimer(ms: number, callback: () => void): () => void {
  // Taken together: who installs fake timers meanwhile could not clear this one.
  const { setTimeout, clearTimeout } = globalThis;
  let left = ms;
  let timer: ReturnType<typeof setTimeout>;
  const next = () => {
    const part = Math.min(left, longestTimerMs);
    left -= part;
    timer = setTimeout(left > 0 ? next : callback, part);
  };
  next();
  return () => clearTimeout(timer);
}
