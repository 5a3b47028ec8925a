import { ConfigurationError, type ErrorDetails } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { type Clock, systemClock } from "../time/clock.js";
import type { ClockHooks } from "../time/clock-hooks.js";

/** The clock, which may be that of a mock. @throws {ConfigurationError} for one that does not tell the time */
export function checkedClock(clock: Clock): Clock & ClockHooks {
  // Not read, since Next.js does not let every page read the system's clock.
  if (clock === systemClock) return clock;
  if (typeof clock?.now !== "function" || typeof clock.sleep !== "function") {
    throw wrongOption("`clock`", "an object with `now` and `sleep`", clock);
  }
  const now = timeOf(clock);
  if (!Number.isFinite(now)) throw wrongOption("what `clock.now` returns", "a number of milliseconds", now);
  return clock;
}

function timeOf(clock: Clock): number {
  try {
    return clock.now();
  } catch (cause) {
    throw new ConfigurationError("Expected `clock.now` to return a number of milliseconds, but it threw.", {
      cause,
    });
  }
}

/** The error of a call or a wait whose clock lets no time pass. */
export function brokenClock(details?: ErrorDetails): ConfigurationError {
  return new ConfigurationError(
    "Expected `clock.sleep` to take as long as it is told on `clock.now`, and to reject only when its signal aborts.",
    details,
  );
}
