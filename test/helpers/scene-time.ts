import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

/** The time of a scene. */
export interface SceneTime {
  /** The clock of the scene itself. */
  clock: Clock & { advance(ms: number): Promise<unknown> };
  /** The clock for the client; undefined if its default clock runs on the scene's time. */
  clientClock: Clock | undefined;
  /** The number of the client's sleeps or timers that have not ended. */
  pending(): number;
}

/** The functions of a test runner's fake timers. */
export interface FakeTimers {
  use(): void;
  toNext(): Promise<unknown>;
  count(): number;
  restore(): void;
}

let makeTime = virtualTime;

export function sceneTime(): SceneTime {
  return makeTime();
}

function virtualTime(): SceneTime {
  const { clock } = createMock();
  let pending = 0;
  const sleep = (ms: number, signal?: AbortSignal) => {
    pending++;
    return clock.sleep(ms, signal).finally(() => pending--);
  };
  return { clock, clientClock: { now: clock.now, sleep }, pending: () => pending };
}

/** Lets all following scenes use a runner's fake timers, and clients their default clock. */
export function playOnFakeTimers(timers: FakeTimers) {
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal?.throwIfAborted();
      // A timer always takes a tick, even a timer of 0 ms.
      if (ms <= 0) return resolve();
      const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1));
      function end() {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }
      function onAbort() {
        clearTimeout(timer);
        reject(signal?.reason);
      }
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  const clock = { now: () => performance.now(), sleep, advance: sleep };
  makeTime = () => ({ clock, clientClock: undefined, pending: timers.count });

  let isPlaying = false;
  /** Advances to the next timer whenever nothing else can run. */
  const play = async () => {
    while (isPlaying) {
      for (let turns = 0; turns < 8; turns++) await turn();
      if (isPlaying && timers.count() > 0) await timers.toNext();
    }
  };
  let playing: Promise<void> = Promise.resolve();
  return {
    begin() {
      timers.use();
      isPlaying = true;
      playing = play();
    },
    async end() {
      isPlaying = false;
      await playing;
      timers.restore();
    },
  };
}
