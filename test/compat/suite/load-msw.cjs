const assert = require("node:assert/strict");
const { test } = require("node:test");

/** Defines what holds however the package was loaded, and msw with it. */
module.exports = function defineLoadsWithMsw({ sdk, mocks, adapter, setupServer }) {
  test("goes the whole way of a set through msw", async () => {
    const mock = mocks.createMock();
    const server = setupServer(...adapter.handlers(mock));
    server.listen(adapter.listenOptions);
    const { apiKey, baseUrl } = mock.clientOptions;
    const client = new sdk.ScreenshotSets({ apiKey, baseUrl });
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const job = await client.screenshots.createAndWait({ appId, device: "ipad-pro", count: 2 });
    mock.fault({ status: 404 });
    await assert.rejects(client.jobs.get(job.id), sdk.NotFoundError);
    server.close();
    assert.equal(job.result.slides.length, 2);
    assert.equal(mock.credits.used, 10);
  });
};
