import { abortable } from "./abortable.js";

/** The clock on which every delay, attempt time-out and deadline runs. */
export interface Clock {
  /** The time in milliseconds since any fixed instant. It never goes back. */
  now(): number;
  /**
   * Resolves after `ms` milliseconds; several sleeps may run at once. On abort it rejects with the signal's
   * reason and frees its timer.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A longer timer fires at once: https://developer.mozilla.org/docs/Web/API/Window/setTimeout#maximum_delay_value */
export const longestTimerMs = 2 ** 31 - 1;

/** Timers fire up to a millisecond early or late, since they count in whole milliseconds. */
const resolutionMs = 1;

/** The globals are looked up at each call, so that a test runner's fake timers drive this clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => abortable(signal, (resolve) => startTimer(ms, resolve)),
};

/**
 * Calls `ring` once `ms` milliseconds have passed on the clock. Returns a function that cancels it.
 *
 * After the event loop was blocked, timers run before the data that arrived meanwhile is read. A late timer therefore
 * waits one turn for input, so that an answer that arrived in time is seen in time.
 */
export function after(clock: Clock, ms: number, ring: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  const dueAt = clock.now() + ms;
  let stop: () => void;
  const ringInTurn = () => {
    if (ms > 0 && clock.now() > dueAt + resolutionMs) stop = nextTurn(ring);
    else ring();
  };
  if (clock === systemClock) stop = startTimer(ms, ringInTurn);
  else {
    const controller = new AbortController();
    stop = () => controller.abort("cancelled");
    clock.sleep(ms, controller.signal).then(
      () => controller.signal.aborted || ringInTurn(),
      () => {},
    );
  }
  return () => stop();
}

function startTimer(ms: number, callback: () => void): () => void {
  // Read together: fake timers that are installed meanwhile could not clear this timer.
  const { setTimeout, clearTimeout } = globalThis;
  const timer = setTimeout(callback, Math.min(ms, longestTimerMs));
  return () => clearTimeout(timer);
}

function nextTurn(callback: () => void): () => void {
  const { setImmediate, clearImmediate } = globalThis;
  // The edge runtime of Next.js has a `setImmediate` that throws when it is called.
  if (!setImmediate || "EdgeRuntime" in globalThis) return startTimer(0, callback);
  const immediate = setImmediate(callback);
  return () => clearImmediate(immediate);
}
