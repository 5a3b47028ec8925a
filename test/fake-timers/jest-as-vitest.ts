import { playOnFakeTimers } from "../helpers/scene-time.js";

// Stands in for Vitest when the tests of waiting run in Jest: the same names, on Jest's fake timers.

type Test = typeof import("vitest");
declare const jest: Pick<Test["vi"], "spyOn"> & {
  useFakeTimers(): void;
  advanceTimersToNextTimerAsync(): Promise<void>;
  getTimerCount(): number;
  useRealTimers(): void;
  restoreAllMocks(): void;
};

const runner = globalThis as unknown as Pick<
  Test,
  "describe" | "test" | "expect" | "beforeEach" | "afterEach"
>;
export const { describe, test, expect } = runner;
export const vi = { spyOn: jest.spyOn };

const { begin, end } = playOnFakeTimers({
  use: () => jest.useFakeTimers(),
  toNext: () => jest.advanceTimersToNextTimerAsync(),
  count: () => jest.getTimerCount(),
  restore: () => jest.useRealTimers(),
});
runner.beforeEach(begin);
runner.afterEach(end);
runner.afterEach(() => jest.restoreAllMocks());
