/**
 * What a mock's clock counts its resets under. Times of before a reset mean nothing after it, and who slept then never
 * wakes. In the global registry, as each entry point has a copy of this file.
 */
export const clockResets: unique symbol = Symbol.for("screenshot-sets.clock-resets");

/** What a mock's clock is held under until a client, which the mock does not see yet, is ready to ask. */
export const holdClock: unique symbol = Symbol.for("screenshot-sets.hold-clock");

/** What a clock has for a client besides the time; only a mock's has it. */
export interface ClockHooks {
  readonly [clockResets]?: number;
  readonly [holdClock]?: (until: Promise<unknown>, atMostRealMs?: number) => void;
}
