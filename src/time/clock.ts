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

/** Timers come early or late by a millisecond, as they count in whole ones. */
const resolutionMs = 1;

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

/** Called when its time has come, or with what is wrong where the clock lets no time pass. */
export type Alarm = (broken?: { cause: unknown }) => void;

const immediateAtImport = globalThis.setImmediate;

/** Fake timers carry their clock. Those that were there at the import may be gone, and then never fire. */
const wasFake = immediateAtImport !== undefined && Object.hasOwn(immediateAtImport, "clock");

/** A turn of the event loop, also under a runner's fake timers, which do not fake input and output. */
function nextTurn(callback: () => void): void {
  const setImmediate = wasFake ? globalThis.setImmediate : immediateAtImport;
  if (setImmediate) setImmediate(callback);
  else globalThis.setTimeout(callback, 0);
}

/**
 * Calls `alarm` once `ms` milliseconds have passed on the clock. Returns what cancels it.
 *
 * After a busy time of the event loop, timers run before what has arrived meanwhile is read. So an alarm that comes
 * late gives input and output a turn first: an answer that came in time is then found in time.
 */
export function after(clock: Clock, ms: number, alarm: Alarm): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  const controller = new AbortController();
  const { signal } = controller;
  const dueAt = clock.now() + ms;
  const ring: Alarm = (broken) => {
    if (!signal.aborted) alarm(broken);
  };
  const ringInTurn = () => {
    if (clock.now() > dueAt + resolutionMs) nextTurn(() => ring());
    else ring();
  };
  const cancel =
    clock === systemClock ? startTimer(ms, ringInTurn) : sleepFor(clock, ms, signal, ringInTurn, ring);
  return () => {
    controller.abort("cancelled");
    cancel?.();
  };
}

/** Sleeps on a clock of the user's, which may be wrong: `onBroken` hears of one that lets no time pass. */
function sleepFor(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  onEnd: () => void,
  onBroken: Alarm,
): undefined {
  // It may well hand this to a timer as it is.
  const part = Math.min(ms, longestTimerMs);
  const startedAt = clock.now();
  let isSameTurn = true;
  nextTurn(() => {
    isSameTurn = false;
  });
  const wake = (cause?: unknown) => {
    if (signal.aborted) return;
    if (isSameTurn && clock.now() - startedAt < part - resolutionMs) onBroken({ cause });
    else if (ms > part) sleepFor(clock, ms - part, signal, onEnd, onBroken);
    else onEnd();
  };
  const asleep = async () => clock.sleep(part, signal);
  asleep().then(() => wake(), wake);
}

/** Whether `promise` fulfils before `ms` have passed on the clock and before `signal` aborts. Rejects as it does. */
export function endsWithin(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  promise: Promise<unknown>,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = (hasEnded: boolean) => {
      cancel();
      removeListener();
      resolve(hasEnded);
    };
    const cancel = after(clock, ms, () => end(false));
    const removeListener = onAbort(signal, () => end(false));
    if (signal?.aborted) end(false);
    promise.then(
      () => end(true),
      (error) => {
        reject(error);
        end(false);
      },
    );
  });
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
