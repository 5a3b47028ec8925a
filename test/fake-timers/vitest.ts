import { afterEach, beforeEach, vi } from "vitest";
import { playOnFakeTimers } from "../helpers/scene-time.js";

// A set-up file: the tests of waiting once more, on Vitest's fake timers and the client's default clock.

const { begin, end } = playOnFakeTimers({
  use: () => vi.useFakeTimers(),
  toNext: () => vi.advanceTimersToNextTimerAsync(),
  count: () => vi.getTimerCount(),
  restore: () => vi.useRealTimers(),
});
beforeEach(begin);
afterEach(end);
