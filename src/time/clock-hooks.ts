import type { Clock } from "./clock.js";

/**
 * The number of times that a mock's clock was reset. After a reset, earlier times mean nothing and earlier sleeps never
 * end. In the global symbol registry, since each entry point bundles its own copy of this file.
 */
export const clockResets: unique symbol = Symbol.for("screenshot-sets.clock-resets");

/** How far a mock's clock was moved ahead of the system's clock, in milliseconds. */
export const clockLead: unique symbol = Symbol.for("screenshot-sets.clock-lead");

/** Holds a mock's clock until a client is ready to send a request, since the mock cannot see it work before that. */
export const holdClock: unique symbol = Symbol.for("screenshot-sets.hold-clock");

/** Returns a function that says whether the mock was reset since it was last asked, such as between two tests. */
export function resetWatch(clock: Clock & ClockHooks): () => boolean {
  let seen = clock[clockResets];
  return () => {
    const isReset = seen !== clock[clockResets];
    seen = clock[clockResets];
    return isReset;
  };
}

/** What a mock's clock offers a client besides the time. Other clocks have none of it. */
export interface ClockHooks {
  readonly [clockResets]?: number;
  readonly [clockLead]?: number;
  readonly [holdClock]?: (until: Promise<unknown>) => void;
}
