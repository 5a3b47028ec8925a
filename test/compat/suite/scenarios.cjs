// What a consumer of the package does in tests, in plain JavaScript, so that every runner and module format can run it.
const assert = require("node:assert/strict");

const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" };
const minute = 60_000;

/** Scenarios with the mock's own `fetch` and clock, which need nothing of the runner. */
const inMemory = {
  async "plans a set for 10 credits"({ open }) {
    const { mock, client, createApp } = open();
    const job = await client.screenshots.createAndWait({
      appId: await createApp(),
      device: "ipad-pro",
      count: 3,
    });
    assert.equal(job.result.slides.length, 3);
    assert.deepEqual(job.credits, { cost: 10, remaining: 90 });
    assert.equal(mock.credits.used, 10);
  },

  async "watches a job through its states"({ open }) {
    const { client, createJob } = open();
    const seen = [];
    for await (const { status } of client.watchJob(await createJob())) seen.push(status);
    assert.deepEqual(seen, ["queued", "running", "succeeded"]);
  },

  async "waits for ten jobs of ten minutes at once, in no time"({ open }) {
    const { mock, client, createApp } = open({
      lifecycle: { queued: minute, running: 9 * minute, unit: "ms" },
    });
    const startedAt = mock.clock.now();
    const set = { appId: await createApp(), device: "iphone-69" };
    const jobs = await Promise.all(
      Array.from({ length: 10 }, () => client.screenshots.createAndWait(set, { timeoutMs: 20 * minute })),
    );
    assert.ok(jobs.every(({ status }) => status === "succeeded"));
    assert.ok(mock.clock.now() - startedAt >= 10 * minute);
  },

  async "has typed errors, with what was charged"({ open, sdk }) {
    const { mock, client, createApp, createJob } = open({ allowance: 10 });
    mock.nextJob({ outcome: "failed", error: { reason: "none" } });
    const jobId = await createJob();
    await assert.rejects(client.waitForJob(jobId), (error) => {
      assert.ok(error instanceof sdk.JobFailedError && error instanceof sdk.ScreenshotSetsError);
      assert.deepEqual(error.job.error, { reason: "none" });
      return true;
    });
    await assert.rejects(
      client.screenshots.create({ appId: await createApp(), device: "iphone-69" }),
      (error) => {
        assert.ok(error instanceof sdk.PaymentRequiredError);
        assert.equal(error.charged, "no");
        return true;
      },
    );
    mock.keys.revoke(mock.clientOptions.apiKey);
    await assert.rejects(client.jobs.get(jobId), sdk.AuthenticationError);
  },

  async "never pays twice, whatever becomes of the answer to a create"({ open }) {
    for (const fault of ["reset", "malformed", "truncated", "hang", { status: 500 }]) {
      const { mock, client, createApp } = open();
      const set = { appId: await createApp(), device: "iphone-69" };
      mock.fault(fault, { operation: "createScreenshots", when: "after" });
      await assert.rejects(client.screenshots.create(set), { charged: "maybe" });
      assert.equal(mock.requests({ operation: "createScreenshots" }).length, 1);
      assert.equal(mock.credits.used, 10);
    }
  },

  async "looks again after refusals and broken connections"({ open }) {
    const { mock, client, createJob } = open();
    const jobId = await createJob();
    mock.fault({ status: 503, retryAfter: 30 }, { operation: "getJob" });
    mock.fault("reset", { operation: "getJob" });
    const startedAt = mock.clock.now();
    await client.jobs.get(jobId);
    assert.equal(mock.requests({ operation: "getJob" }).length, 3);
    assert.ok(mock.clock.now() - startedAt >= 30_000);
  },

  async "rejects with the reason of an abort, in the middle of a wait"({ open }) {
    const { mock, client, createJob } = open({ lifecycle: "manual" });
    const controller = new AbortController();
    const reason = new Error("enough");
    const wait = client.waitForJob(await createJob(), { signal: controller.signal });
    mock.clock.sleep(minute).then(() => controller.abort(reason));
    await assert.rejects(wait, (error) => error === reason);
  },

  async "ends a wait at its deadline"({ open, sdk }) {
    const { client, createJob } = open({ lifecycle: "manual" });
    await assert.rejects(
      client.waitForJob(await createJob(), { timeoutMs: 5 * minute }),
      sdk.JobTimeoutError,
    );
  },
};

/** Scenarios with a server on loopback, where the client keeps its own clock: `during` ticks it if it is a fake one. */
const overHttp = {
  async "plans a set over HTTP"({ listen, during }) {
    const { client, createApp, close } = await listen();
    const set = { appId: await createApp(), device: "iphone-69" };
    const job = await during(client.screenshots.createAndWait(set));
    assert.equal(job.status, "succeeded");
    await close();
  },

  async "meets broken connections as they are"({ listen, sdk }) {
    const { mock, client, createApp, close } = await listen();
    const set = { appId: await createApp(), device: "iphone-69" };
    mock.fault("reset", { when: "after" });
    await assert.rejects(client.screenshots.create(set), (error) => {
      assert.ok(error instanceof sdk.ConnectionError);
      // The fetch of happy-dom tells no code.
      assert.equal(error.code, globalThis.happyDOM ? undefined : "ECONNRESET");
      return true;
    });
    mock.fault("truncated");
    await assert.rejects(client.screenshots.create(set), sdk.ConnectionError);
    assert.equal(mock.credits.used, 20);
    await close();
  },

  async "gives up on an answer that never comes"({ listen, during, sdk }) {
    const { mock, client, createApp, close } = await listen({ timeoutMs: 100 });
    const set = { appId: await createApp(), device: "iphone-69" };
    mock.fault("hang");
    await assert.rejects(during(client.screenshots.create(set)), sdk.TimeoutError);
    await close();
  },
};

/** Scenarios with msw between the global `fetch` and the mock. */
const throughMsw = {
  async "plans a set through msw"({ intercept, during }) {
    const { client, createApp, close } = intercept();
    const set = { appId: await createApp(), device: "iphone-69" };
    const job = await during(client.screenshots.createAndWait(set));
    assert.equal(job.status, "succeeded");
    close();
  },

  async "lets nothing below the base URL through, and warns of what is not below it"({ intercept }) {
    const { baseUrl, close } = intercept();
    for (const path of ["/", "/style.css", "/data.json", "/image.png"]) {
      assert.equal((await fetch(baseUrl + path)).status, 401);
    }
    await silently(() => assert.rejects(fetch("https://elsewhere.test/")));
    close();
  },

  async "applies faults through msw"({ intercept }) {
    const { mock, client, createApp, close } = intercept();
    const set = { appId: await createApp(), device: "iphone-69" };
    for (const fault of ["reset", "malformed", "truncated", { status: 500 }]) {
      mock.fault(fault, { when: "after" });
      await assert.rejects(client.screenshots.create(set), { charged: "maybe" });
    }
    assert.equal(mock.credits.used, 40);
    close();
    const strict = intercept({ strict: true });
    await assert.rejects(strict.client.jobs.get("job_9"), { name: "ApiError", status: 418 });
    assert.equal(strict.mock.requests().length, 1);
    strict.close();
  },
};

/** msw says on the console what it refuses. */
async function silently(act) {
  const { error, warn } = console;
  Object.assign(console, { error() {}, warn() {} });
  await act().finally(() => Object.assign(console, { error, warn }));
}

/**
 * Defines all scenarios, each with real and with fake timers.
 *
 * @param parts the runner's `define(name, run)`; `fakeTimers()`, which returns how to `tick(ms)` and to `restore()`
 *   them; the packages as this project loads them: `sdk`, `mocks` and, where it can load them, `msw`
 */
module.exports = function defineScenarios({ define, fakeTimers, sdk, mocks, msw }) {
  // Before anything is faked.
  const { setImmediate } = require("node:timers");
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  function tools(mock, options) {
    const client = new sdk.ScreenshotSets(options);
    const createApp = async () => (await client.apps.create(listing)).appId;
    const createJob = async () =>
      (await client.screenshots.create({ appId: await createApp(), device: "iphone-69" })).jobId;
    return { mock, client, createApp, createJob };
  }

  const ownClock = ({ clientOptions: { apiKey, baseUrl } }, more) => ({
    apiKey,
    baseUrl,
    maxRetries: 0,
    ...more,
  });

  const context = {
    sdk,
    open(options) {
      const mock = mocks.createMock(options);
      return tools(mock, mock.clientOptions);
    },
    async listen(clientOptions) {
      const mock = mocks.createMock();
      const { url, close } = await mock.listen();
      return { ...tools(mock, ownClock(mock, { baseUrl: url, ...clientOptions })), url, close };
    },
    intercept(options, clientOptions) {
      const baseUrl = `https://${++interceptions}.screenshot-sets.test/api/v1`;
      const mock = mocks.createMock({ baseUrl, ...options });
      const server = msw.setupServer(...msw.handlers(mock));
      server.listen(msw.listenOptions);
      return { ...tools(mock, ownClock(mock, clientOptions)), baseUrl, close: () => server.close() };
    },
  };
  let interceptions = 0;

  const scenarios = { ...inMemory, ...overHttp, ...(msw && throughMsw) };
  for (const [name, scenario] of Object.entries(scenarios)) {
    define(`${name}, with real timers`, () => scenario({ ...context, during: (promise) => promise }));
    define(`${name}, with fake timers`, async () => {
      const { tick, restore } = fakeTimers();
      async function during(promise) {
        let isPending = true;
        const end = () => {
          isPending = false;
        };
        promise.then(end, end);
        while (isPending) {
          await tick(10);
          await turn();
        }
        return promise;
      }
      try {
        await scenario({ ...context, during });
      } finally {
        restore();
      }
    });
  }
};
