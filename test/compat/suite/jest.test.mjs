import { setupServer } from "msw/node";
import * as sdk from "screenshot-sets";
import * as mocks from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import defineScenarios from "./scenarios.cjs";

const { jest } = import.meta;

defineScenarios({
  // A busy machine takes its time.
  define: (name, scenario) => test(name, scenario, 60_000),
  fakeTimers() {
    jest.useFakeTimers();
    return { tick: (ms) => jest.advanceTimersByTimeAsync(ms), restore: () => jest.useRealTimers() };
  },
  sdk,
  mocks,
  msw: { setupServer, handlers, listenOptions },
});
