import type { ClockControl } from "../clock/mock-clock.js";
import type { Guesses } from "../service/guesses.js";
import type { Answer, Engine } from "./call.js";
import type { Desk } from "./desk.js";
import type { Journal, JournalEntry } from "./journal.js";
import type { Outcome } from "./outcome.js";

/** The way of a call: journal, desk, and what a strict mock has to say about the answer. */
export function createEngine(
  desk: Desk,
  journal: Journal,
  guesses: Guesses,
  clockControl: ClockControl,
): Engine {
  const { clock, work } = clockControl;

  function answerOf({ answer, guesses: leanedOn, isExempt }: Outcome, entry: JournalEntry): Answer {
    entry.guesses = leanedOn;
    if (!isExempt) guesses.check(leanedOn, entry.operation);
    entry.status = answer.status;
    return answer;
  }

  return (call) => {
    let endWork = work();
    let isWaiting = false;
    async function idle<T>(wait: Promise<T>): Promise<T> {
      endWork();
      try {
        return await wait;
      } finally {
        endWork = work();
      }
    }
    async function answerLater(outcome: Promise<Outcome>, entry: JournalEntry) {
      try {
        return answerOf(await outcome, entry);
      } finally {
        endWork();
      }
    }
    try {
      const entry = journal.open(call.method, clock.now());
      const outcome = desk(call, entry, {
        sleep: (ms) => idle(clock.sleep(ms, call.signal() ?? undefined)),
        untilAborted: () => idle(abortOf(call.signal())),
      });
      isWaiting = "then" in outcome;
      // Whatever can be answered at once is, as a promise costs more than the answer.
      return "then" in outcome ? answerLater(outcome, entry) : answerOf(outcome, entry);
    } finally {
      if (!isWaiting) endWork();
    }
  };
}

function abortOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
