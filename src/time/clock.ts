import { abortable } from "./abortable.js";
import { inEdgeRuntime } from "./edge-runtime.js";
import { isFake } from "./is-fake.js";

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
const longestTimerMs = 2 ** 31 - 1;

/** Timers fire up to a millisecond early or late, since they count in whole milliseconds. */
export const resolutionMs = 1;

/** A timer that fires earlier than this is fake, and its test runner did not fake `performance.now` with it. */
const earliestTimerMs = 2;

/** How far fake timers have moved the system's clock ahead, so that it never runs behind its own timers. */
let aheadMs = 0;

/** The globals are looked up at each call, so that a test runner's fake timers drive this clock. */
export const systemClock: Clock = {
  now: () => performance.now() + aheadMs,
  sleep: (ms, signal) => abortable(signal, (resolve) => startTimer(ms, resolve)),
};

/** Called when the time has come, or with what is wrong if the clock lets no time pass. */
export type Alarm = (broken?: { cause: unknown }) => void;

const immediateAtImport = inEdgeRuntime ? undefined : globalThis.setImmediate;

/** Fake timers that were installed at the import may be uninstalled later, and then never fire. */
const wasFake = isFake(immediateAtImport);

/** Calls `callback` in a later turn of the event loop, even under fake timers, which do not fake input and output. */
function nextTurn(callback: () => void): void {
  const setImmediate = wasFake ? globalThis.setImmediate : immediateAtImport;
  if (setImmediate) setImmediate(callback);
  else globalThis.setTimeout(callback, 0);
}

/**
 * Calls `alarm` once `ms` milliseconds have passed on the clock. Returns a function that cancels it.
 *
 * After the event loop was blocked, timers run before the data that arrived meanwhile is read. A late alarm therefore
 * waits one turn for input and output, so that an answer that arrived in time is seen in time. One without a delay is
 * never late, and a test on `node:test`'s timers that does not yield to the event loop must not miss it.
 */
export function after(clock: Clock, ms: number, alarm: Alarm): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  const dueAt = clock.now() + ms;
  let isCancelled = false;
  let isArmed = false;
  const ring: Alarm = (broken) => {
    if (!isCancelled) alarm(broken);
  };
  const ringInTurn = () => {
    // A stubbed timer may ring before it returns.
    const isLate = !isArmed || (ms > 0 && clock.now() > dueAt + resolutionMs);
    if (isLate) nextTurn(() => ring());
    else ring();
  };
  const stop = clock === systemClock ? startTimer(ms, ringInTurn) : sleepFor(clock, ms, ringInTurn, ring);
  isArmed = true;
  return () => {
    isCancelled = true;
    stop();
  };
}

/** Sleeps on a user's clock, which may be broken: `onBroken` is called for a clock that lets no time pass. */
function sleepFor(clock: Clock, ms: number, onEnd: () => void, onBroken: Alarm): () => void {
  const controller = new AbortController();
  const sleep = (left: number) => {
    // The clock may pass this delay on to a timer as it is.
    const part = Math.min(left, longestTimerMs);
    const startedAt = clock.now();
    let isSameTurn = true;
    nextTurn(() => {
      isSameTurn = false;
    });
    const wake = (cause?: unknown) => {
      if (controller.signal.aborted) return;
      if (isSameTurn && clock.now() - startedAt < part - resolutionMs) onBroken({ cause });
      else if (left > part) sleep(left - part);
      else onEnd();
    };
    const asleep = async () => clock.sleep(part, controller.signal);
    asleep().then(() => wake(), wake);
  };
  sleep(ms);
  return () => controller.abort("cancelled");
}

/** Whether `promise` fulfils within `ms` on the clock and before `signal` aborts. Rejects if `promise` does. */
export function endsWithin(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  promise: Promise<unknown>,
): Promise<boolean> {
  const inTime = abortable<boolean>(signal, (resolve, reject) => {
    promise.then(() => resolve(true), reject);
    return after(clock, ms, () => resolve(false));
  });
  return inTime.catch((error) => {
    if (signal?.aborted && error === signal.reason) return false;
    throw error;
  });
}

function startTimer(ms: number, callback: () => void): () => void {
  // Read together: fake timers that are installed meanwhile could not clear this timer.
  const { setTimeout, clearTimeout } = globalThis;
  const dueAt = systemClock.now() + ms;
  let left = ms;
  let timer: ReturnType<typeof setTimeout>;
  const ring = () => {
    const earlyMs = dueAt - systemClock.now();
    if (earlyMs > earliestTimerMs) aheadMs += earlyMs;
    callback();
  };
  const next = () => {
    const part = Math.min(left, longestTimerMs);
    left -= part;
    timer = setTimeout(left > 0 ? next : ring, part);
  };
  next();
  return () => clearTimeout(timer);
}
