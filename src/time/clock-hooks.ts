/**
 * The number of times that a mock's clock was reset. Times of before a reset mean nothing after it, and who slept then
 * never wakes. In the global registry, as each entry point has a copy of this file.
 */
export const clockResets: unique symbol = Symbol.for("screenshot-sets.clock-resets");

/** By how much a mock's clock was moved forward, in milliseconds: how far it is ahead of the system's. */
export const clockLead: unique symbol = Symbol.for("screenshot-sets.clock-lead");

/** Keeps a mock's clock from moving until a client is ready to send a request: the mock cannot see it work before. */
export const holdClock: unique symbol = Symbol.for("screenshot-sets.hold-clock");

/** What a mock's clock offers a client besides the time. Other clocks have none of it. */
export interface ClockHooks {
  readonly [clockResets]?: number;
  readonly [clockLead]?: number;
  readonly [holdClock]?: (until: Promise<unknown>, atMostRealMs?: number) => void;
}
