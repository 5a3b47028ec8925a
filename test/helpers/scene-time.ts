import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

/** The time that a scene plays in. */
export interface SceneTime {
  /** What the scene itself sleeps on. */
  clock: Clock & { advance(ms: number): Promise<unknown> };
  /** What the client is given; nothing where its default clock plays along. */
  clientClock: Clock | undefined;
  /** Sleeps or timers of the client that have not ended. */
  pending(): number;
}

/** What a runner can do with its fake timers. */
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

/** From now on, scenes play on a runner's fake timers, and clients on their default clock. */
export function playOnFakeTimers(timers: FakeTimers) {
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal?.throwIfAborted();
      // A timer takes a turn of its own, also one for no time.
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
  /** Moves on to the next timer whenever nothing more happens without one. */
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
