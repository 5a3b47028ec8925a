import { abortable } from "./abortable.js";
import { inEdgeRuntime } from "./edge-runtime.js";
import { isFake } from "./is-fake.js";

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

/** Timers come early or late by a millisecond, as they count in whole ones. */
const resolutionMs = 1;

/** A timer that comes earlier than this is a fake one, whose runner did not fake `performance.now` with it. */
const earliestTimerMs = 2;

/** How far fake timers have brought the system's clock ahead: it never runs behind its own timers. */
let aheadMs = 0;

/** The globals are looked up at each call, so that a test runner's fake timers drive this clock. */
export const systemClock: Clock = {
  now: () => performance.now() + aheadMs,
  sleep: (ms, signal) => abortable(signal, (resolve) => startTimer(ms, resolve)),
};

/** Called when its time has come, or with what is wrong where the clock lets no time pass. */
export type Alarm = (broken?: { cause: unknown }) => void;

const immediateAtImport = inEdgeRuntime ? undefined : globalThis.setImmediate;

/** Fake timers that were there at the import may be gone, and then never fire. */
const wasFake = isFake(immediateAtImport);

/** A turn of the event loop, also under a runner's fake timers, which do not fake input and output. */
function nextTurn(callback: () => void): void {
  const setImmediate = wasFake ? globalThis.setImmediate : immediateAtImport;
  if (setImmediate) setImmediate(callback);
  else globalThis.setTimeout(callback, 0);
}

/**
 * Calls `alarm` once `ms` milliseconds have passed on the clock. Returns what cancels it.
 *
 * When the event loop was busy, timers run before the data that arrived meanwhile is read. So an alarm that rings late
 * gives input and output a turn first: an answer that came in time is then seen in time. One for now has nothing to be
 * late for, and a test on `node:test`'s timers that lets the event loop have no turn would never hear it.
 */
export function after(clock: Clock, ms: number, alarm: Alarm): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  const dueAt = clock.now() + ms;
  let isCancelled = false;
  const ring: Alarm = (broken) => {
    if (!isCancelled) alarm(broken);
  };
  const ringInTurn = () => {
    if (ms > 0 && clock.now() > dueAt + resolutionMs) nextTurn(() => ring());
    else ring();
  };
  const stop = clock === systemClock ? startTimer(ms, ringInTurn) : sleepFor(clock, ms, ringInTurn, ring);
  return () => {
    isCancelled = true;
    stop();
  };
}

/** Sleeps on a clock of the user's, which may be wrong: `onBroken` hears of one that lets no time pass. */
function sleepFor(clock: Clock, ms: number, onEnd: () => void, onBroken: Alarm): () => void {
  const controller = new AbortController();
  const sleep = (left: number) => {
    // The clock may well hand this to a timer as it is.
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

/** Whether `promise` fulfils before `ms` have passed on the clock and before `signal` aborts. Rejects as it does. */
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
  // Taken together: who installs fake timers meanwhile could not clear this one.
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
