const { ConfigurationError, ScreenshotSets } = require("screenshot-sets");
const { createMock } = require("screenshot-sets/mock");

const set = { appId: "app_1", device: "iphone-69" };

test("is taken for no browser", () => {
  expect(() => new ScreenshotSets(createMock().clientOptions)).not.toThrow();
});

test.each([
  ["calls", (client) => client.screenshots.create(set)],
  ["waits", (client) => client.waitForJob("job_1")],
  ["whole sets", (client) => client.screenshots.createAndWait(set)],
])("refuses %s at once, says what is missing and what to use, and sends nothing", async (_, call) => {
  const mock = createMock();
  const { apiKey, baseUrl } = mock.clientOptions;
  for (const options of [mock.clientOptions, { apiKey, baseUrl }]) {
    const error = await call(new ScreenshotSets(options)).catch((reason) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/`TextDecoder`.*jest-fixed-jsdom/);
  }
  expect(mock.requests()).toEqual([]);
});

test("the time of a mock passes without a MessageChannel", async () => {
  expect(globalThis.MessageChannel).toBeUndefined();
  const { clock } = createMock();
  const before = clock.now();
  await clock.sleep(60_000);
  expect(clock.now() - before).toBe(60_000);
});
