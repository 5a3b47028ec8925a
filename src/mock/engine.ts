import type { Call, Engine } from "./call.js";
import type { Desk } from "./desk.js";
import type { Guesses } from "./guesses.js";
import type { Journal } from "./journal.js";
import type { ClockControl } from "./mock-clock.js";

/** The way of a call: journal, desk, and what a strict mock has to say about the answer. */
export function createEngine(
  desk: Desk,
  journal: Journal,
  guesses: Guesses,
  clockControl: ClockControl,
): Engine {
  const { clock, work } = clockControl;

  return async (call) => {
    call.signal?.throwIfAborted();
    let endWork = work();
    async function idle<T>(wait: Promise<T>): Promise<T> {
      endWork();
      try {
        return await wait;
      } finally {
        endWork = work();
      }
    }
    try {
      const entry = journal.open(call.method, clock.now());
      const outcome = await desk(call, entry, {
        sleep: (ms) => idle(clock.sleep(ms, call.signal ?? undefined)),
        untilAborted: () => idle(abortOf(call.signal)),
      });
      entry.guesses = outcome.guesses;
      if (!outcome.isExempt) guesses.check(outcome.guesses, entry.operation);
      if (outcome.answer.kind !== "reset") entry.status = outcome.answer.status;
      return outcome.answer;
    } finally {
      endWork();
    }
  };
}

function abortOf(signal: Call["signal"]): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
