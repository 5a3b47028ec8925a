const assert = require("node:assert/strict");
const { test } = require("node:test");

/** Without the names that an import of CommonJS adds: Deno resolves `import()` in a CommonJS file to that copy. */
const exported = (copy) =>
  Object.keys(copy)
    .filter((name) => !["default", "module.exports", "__esModule"].includes(name))
    .sort();

/**
 * Defines what holds however the package was loaded.
 *
 * @param parts the entry points `sdk` and `mocks`; `other`, which resolves to both in the other module format; and
 *   `files`, the two that are JSON
 */
module.exports = function defineLoads({ sdk, mocks, other, files }) {
  async function plan(options) {
    const client = new sdk.ScreenshotSets(options);
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const { jobId } = await client.screenshots.create({ appId, device: "iphone-69", count: 3 });
    const seen = [];
    for await (const { status } of client.watchJob(jobId)) seen.push(status);
    const { result } = await client.waitForJob(jobId);
    assert.deepEqual(seen, ["queued", "running", "succeeded"]);
    assert.equal(result.slides.length, 3);
  }

  test("gives access to the document and the manifest", () => {
    assert.ok(Object.keys(files.document.paths).some((path) => path.endsWith("/screenshots")));
    assert.equal(files.manifest.name, "screenshot-sets");
  });

  test("both copies export the same", async () => {
    const theOther = await other();
    assert.deepEqual(exported(sdk), exported(theOther.sdk));
    assert.deepEqual(exported(mocks), exported(theOther.mocks));
  });

  test("goes the whole way of a set in memory", () => plan(mocks.createMock().clientOptions));

  test("goes the whole way of a set on the other copy's mock", async () =>
    plan((await other()).mocks.createMock().clientOptions));

  test("goes the whole way of a set over HTTP", async () => {
    const mock = mocks.createMock();
    const { url, close } = await mock.listen();
    await plan({ apiKey: mock.clientOptions.apiKey, baseUrl: url });
    await close();
    assert.equal(mock.credits.used, 10);
  });

  test("an error is an instance of both copies' classes, and of no sibling's", async () => {
    const options = { ...mocks.createMock().clientOptions, apiKey: "revoked" };
    const error = await new sdk.ScreenshotSets(options).jobs.get("job_1").catch((reason) => reason);
    for (const copy of [sdk, (await other()).sdk]) {
      assert.ok(error instanceof copy.AuthenticationError);
      assert.ok(error instanceof copy.ApiError);
      assert.ok(error instanceof copy.ScreenshotSetsError);
      assert.ok(!(error instanceof copy.NotFoundError));
    }
  });
};
