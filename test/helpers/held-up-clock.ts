import type { Clock } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

/** A virtual clock of a process that can be held up: its time then goes on, and nothing is woken. */
export function heldUpClock() {
  const virtual = createMock().clock;
  let heldUpMs = 0;
  const clock: Clock = { now: () => virtual.now() + heldUpMs, sleep: virtual.sleep };
  return {
    clock,
    advance: (ms: number) => virtual.advance(ms),
    holdUp(ms: number) {
      heldUpMs += ms;
    },
  };
}
