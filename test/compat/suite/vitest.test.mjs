import { setupServer } from "msw/node";
import * as sdk from "screenshot-sets";
import * as mocks from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import { test, vi } from "vitest";
import defineScenarios from "./scenarios.cjs";

defineScenarios({
  // A busy machine takes its time.
  define: (name, scenario) => test(name, scenario, 60_000),
  fakeTimers() {
    vi.useFakeTimers();
    return { tick: (ms) => vi.advanceTimersByTimeAsync(ms), restore: () => vi.useRealTimers() };
  },
  sdk,
  mocks,
  msw: { setupServer, handlers, listenOptions },
});
