import { setupServer } from "msw/node";
import * as sdk from "screenshot-sets";
import * as mocks from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import defineScenarios from "./scenarios.cjs";

const { jest } = import.meta;

defineScenarios({
  define: test,
  fakeTimers() {
    jest.useFakeTimers();
    return { tick: (ms) => jest.advanceTimersByTimeAsync(ms), restore: () => jest.useRealTimers() };
  },
  sdk,
  mocks,
  msw: { setupServer, handlers, listenOptions },
});
