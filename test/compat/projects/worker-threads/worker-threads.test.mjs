import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { createMock } from "screenshot-sets/mock";

const params = { iosUrl: "https://apps.apple.com/us/app/example/id1", device: "iphone-69" };

/** Workers whose clients talk to one mock, in this thread. */
async function begin(count, options) {
  const mock = createMock(options);
  const { url, close } = await mock.listen();
  const env = { SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey, SCREENSHOT_SETS_BASE_URL: url };
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL("set-worker.mjs", import.meta.url), { env }),
  );
  for (const worker of workers) worker.postMessage(params);
  return { mock, workers, close };
}

async function last(worker) {
  for (;;) {
    const [message] = await once(worker, "message");
    if (!("status" in message)) return message;
  }
}

test("workers plan sets and hand their jobs to the thread that began them", async () => {
  const { mock, workers, close } = await begin(4);
  for (const { job } of await Promise.all(workers.map(last))) {
    assert.equal(job.status, "succeeded");
    assert.equal(job.credits.cost, 10);
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
  await close();
  assert.equal(mock.credits.used, 40);
});

test("an error that is handed over keeps its message, and no key", async () => {
  const { mock, workers, close } = await begin(1, { allowance: 0 });
  const { error } = await last(workers[0]);
  assert.match(error.message, /^createScreenshots failed with 402/);
  assert.ok(!JSON.stringify(Object.values(error)).includes(mock.clientOptions.apiKey));
  await workers[0].terminate();
  await close();
});

test("a worker that is ended in the middle of a wait leaves the job to be waited for", async () => {
  const { mock, workers, close } = await begin(1, { lifecycle: "manual" });
  assert.deepEqual(await once(workers[0], "message"), [{ status: "queued" }]);
  await workers[0].terminate();
  assert.equal(mock.credits.used, 10);
  mock.jobs.succeed("job_1");
  assert.equal(mock.jobs.get("job_1").status, "succeeded");
  await close();
});
