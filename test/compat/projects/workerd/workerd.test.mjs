import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { createMock } from "screenshot-sets/mock";

const mock = createMock({ allowance: 1000, clock: "system" });
let service;
let script;

before(async () => {
  service = await mock.listen();
  const { outputFiles } = await build({
    entryPoints: ["worker.mjs"],
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
  });
  script = outputFiles[0].text;
});
beforeEach(() => mock.reset());
after(() => service.close());

// The second is of before workers knew `cache`.
for (const compatibilityDate of ["2026-07-01", "2024-01-01"]) {
  describe(`a worker of ${compatibilityDate}`, () => {
    let workers;
    before(async () => {
      const bindings = { apiKey: mock.clientOptions.apiKey, baseUrl: service.url };
      const modules = [{ type: "ESModule", path: "worker.mjs", contents: script }];
      workers = new Miniflare({ compatibilityDate, modules, bindings });
      await workers.ready;
    });
    after(() => workers.dispose());

    async function get(path) {
      const response = await workers.dispatchFetch(`http://worker.test${path}`);
      return response.json();
    }

    test("plans a set with a client of its own", async () => {
      assert.equal((await get("/own")).status, "succeeded");
      assert.equal(mock.credits.used, 10);
    });

    test("plans a set on a mock within", async () => {
      assert.deepEqual(await get("/mocked"), {
        status: "succeeded",
        credits: { cost: 10, remaining: 90 },
      });
    });

    test("shares a client among requests that overlap", async () => {
      mock.nextJob({ outcome: "succeeded", lifecycle: "manual" });
      const first = get("/shared");
      while (mock.requests({ operation: "getJob" }).length === 0) await new Promise(setImmediate);
      const [same, ...others] = [
        get("/shared?wait=job_1"),
        ...Array.from({ length: 5 }, () => get("/shared")),
      ];
      for (const { status } of await Promise.all(others)) assert.equal(status, "succeeded");
      mock.jobs.succeed("job_1");
      for (const { status } of await Promise.all([first, same])) assert.equal(status, "succeeded");
      assert.equal(mock.credits.used, 60);
    });

    test("pays once where the answer to a create is lost, and says so", async () => {
      mock.fault("reset", { operation: "createScreenshots", when: "after" });
      assert.equal((await get("/own")).charged, "maybe");
      assert.equal(mock.requests({ operation: "createScreenshots" }).length, 1);
      assert.equal(mock.credits.used, 10);
    });
  });
}
