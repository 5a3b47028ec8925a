// Without msw, which has dependencies that are ESM only, and which Jest therefore does not load in this mode.
require("./scenarios.cjs")({
  // A busy machine takes its time.
  define: (name, scenario) => test(name, scenario, 60_000),
  fakeTimers() {
    jest.useFakeTimers();
    return { tick: (ms) => jest.advanceTimersByTimeAsync(ms), restore: () => jest.useRealTimers() };
  },
  sdk: require("screenshot-sets"),
  mocks: require("screenshot-sets/mock"),
});
