import { createTurns } from "./turns.js";

/** Tells when nothing is being worked on. */
export interface Quiet {
  /** Whether a request is being worked on. */
  isWorking(): boolean;
  /** Marks the beginning of work; the function it returns, called once, marks the end. */
  work(): () => void;
  /** Calls back, once, after some undisturbed turns of the event loop; replaces an earlier callback. */
  when(callback: () => void): void;
  /** Forgets the callback. */
  cancel(): void;
}

/**
 * Turns without any work before it counts as quiet. After an answer its receiver still reads the body, runs through
 * its own promises and puts down its time-out; one turn covers promises, the others streams and `setImmediate`.
 */
const turnsUntilQuiet = 5;

/** Watches requests come and go. */
export function createQuiet(): Quiet {
  let working = 0;
  let calmTurns = 0;
  let waiting: (() => void) | undefined;

  const turns = createTurns(() => {
    if (working > 0 || !waiting) return false;
    if (++calmTurns < turnsUntilQuiet) return true;
    const callback = waiting;
    waiting = undefined;
    callback();
    return waiting !== undefined;
  });

  function begin() {
    calmTurns = 0;
    if (waiting && working === 0) turns.start();
  }

  return {
    isWorking: () => working > 0,
    work() {
      working++;
      return () => {
        working--;
        begin();
      };
    },
    when(callback) {
      waiting = callback;
      begin();
    },
    cancel() {
      waiting = undefined;
    },
  };
}
