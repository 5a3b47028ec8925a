import { mock, test } from "node:test";
import { setupServer } from "msw/node";
import * as sdk from "screenshot-sets";
import * as mocks from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import defineScenarios from "./scenarios.cjs";

defineScenarios({
  define: test,
  fakeTimers() {
    mock.timers.enable();
    return { tick: (ms) => mock.timers.tick(ms), restore: () => mock.timers.reset() };
  },
  sdk,
  mocks,
  msw: { setupServer, handlers, listenOptions },
});
