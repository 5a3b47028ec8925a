import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { createMock } from "screenshot-sets/mock";

const mock = createMock({ allowance: 1000 });
const service = await mock.listen();
process.env.SCREENSHOT_SETS_API_KEY = mock.clientOptions.apiKey;
process.env.SCREENSHOT_SETS_BASE_URL = service.url;

// Each project has an app, with whatever it makes of these.
const { start, defineMore, paths = ["/sets"] } = await import("./app.mjs");
const app = await start({ mock });
beforeEach(() => mock.reset());
after(async () => {
  await app.close();
  await service.close();
});

for (const path of paths) {
  const post = async () => {
    const response = await fetch(app.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ iosUrl: "https://apps.apple.com/us/app/example/id1", device: "iphone-69" }),
    });
    return { status: response.status, body: await response.json() };
  };
  const planned = { status: 201, body: { status: "succeeded", slides: 3 } };

  test(`plans a set for a request to ${path}`, async () => {
    assert.deepEqual(await post(), planned);
    assert.equal(mock.credits.used, 10);
  });

  test(`plans twenty sets for requests to ${path} at once, on one client`, async () => {
    assert.deepEqual(
      await Promise.all(Array.from({ length: 20 }, post)),
      Array.from({ length: 20 }, () => planned),
    );
    assert.equal(mock.credits.used, 200);
  });

  test(`pays once where the answer to a create for ${path} is lost, and says so`, async () => {
    // Later ones go out on a connection that was kept.
    for (const fault of ["reset", "truncated", { status: 503 }, "reset"]) {
      const usedBefore = mock.credits.used;
      mock.fault(fault, { operation: "createScreenshots", when: "after" });
      const { status, body } = await post();
      assert.ok(status >= 500);
      assert.equal(body.charged, "maybe");
      assert.equal(mock.credits.used - usedBefore, 10);
    }
  });

  test(`passes on to users of ${path} that the credits are used up`, async () => {
    mock.credits.set(0);
    assert.deepEqual(await post(), {
      status: 402,
      body: { name: "PaymentRequiredError", charged: "no" },
    });
  });
}

defineMore?.({ mock, app });
