const { mock, test } = require("node:test");
const { setupServer } = require("msw/node");
const { handlers, listenOptions } = require("screenshot-sets/mock/msw");

require("./scenarios.cjs")({
  define: test,
  fakeTimers() {
    mock.timers.enable();
    return { tick: (ms) => mock.timers.tick(ms), restore: () => mock.timers.reset() };
  },
  sdk: require("screenshot-sets"),
  mocks: require("screenshot-sets/mock"),
  msw: { setupServer, handlers, listenOptions },
});
