const assert = require("node:assert/strict");
const { afterEach, beforeEach, mock: runner, test } = require("node:test");
const { JobFailedError, PaymentRequiredError, ScreenshotSets, setCost } = require("screenshot-sets");
const { createMock } = require("screenshot-sets/mock");
const { planSet } = require("./plan-set.js");

const listing = "https://apps.apple.com/us/app/example/id1234567890";
const mock = createMock();
const client = new ScreenshotSets(mock.clientOptions);

beforeEach(() => mock.reset());
afterEach(() => runner.timers.reset());

test("plans three slides, for the price of one set", async () => {
  const slides = await planSet(client, listing);

  assert.equal(slides.length, 3);
  assert.equal(mock.credits.used, setCost);
});

test("takes no time under fake timers, and needs no ticking", async () => {
  runner.timers.enable();

  assert.equal((await planSet(client, listing)).length, 3);
});

test("reports a failed job", async () => {
  mock.nextJob({ outcome: "failed", error: { reason: "The listing has no texts." } });

  await assert.rejects(planSet(client, listing), JobFailedError);
});

test("reports that the credits are used up", async () => {
  mock.credits.set(setCost - 1);

  await assert.rejects(planSet(client, listing), PaymentRequiredError);
});

test("does not pay twice when the answer to a create is lost", async () => {
  mock.fault("reset", { operation: "createScreenshots", when: "after", times: Infinity });

  await assert.rejects(planSet(client, listing), { charged: "maybe" });

  assert.equal(mock.credits.used, setCost);
});

test("also runs over HTTP, for code that makes its own client", async () => {
  const { url, close } = await mock.listen();
  const { apiKey } = mock.clientOptions;

  const slides = await planSet(new ScreenshotSets({ apiKey, baseUrl: url }), listing);
  await close();

  assert.equal(slides.length, 3);
});
