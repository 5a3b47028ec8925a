import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { promisify } from "node:util";
// Each project names its executable, and how that runs a program and tests.
import { executable, keepsConnections, runs, tellsRefusals, tests } from "./runtime.mjs";

const run = (args, env = {}) =>
  promisify(execFile)(executable, args, {
    env: { ...process.env, SCREENSHOT_SETS_API_KEY: "key_of_a_test", ...env },
    timeout: 60_000,
  });

for (const file of ["load.test.mjs", "load.test.cjs"]) {
  test(`passes what Node passes: ${file}`, () => run(tests(file)));
}

/** What becomes of the answer to a create that was taken and charged. */
const losses = {
  "a reset": ({ socket }) => socket.resetAndDestroy(),
  "a closed connection": ({ socket }) => socket.destroy(),
  "half an answer"(response) {
    response.writeHead(201, { "content-length": 100 }).write('{"credits":');
    setImmediate(() => response.socket.resetAndDestroy());
  },
  "a status of 421": (response) => response.writeHead(421).end(),
  "a status of 503": (response) => response.writeHead(503, { "retry-after": "0" }).end(),
  "a redirect": (response) => response.writeHead(307, { location: "/api/v1/public/v1/screenshots" }).end(),
  "no answer at all"() {},
};

const job = JSON.stringify({ id: "job_1", status: "queued", result: null, error: null });

for (const [loss, lose] of Object.entries(losses)) {
  for (const kept of [false, true]) {
    test(`pays once where ${loss} follows a create ${kept ? "after another call" : "as the first call"}`, async () => {
      const charged = [];
      const reused = [];
      const server = createServer(async (request, response) => {
        const body = await text(request);
        if (request.method === "GET") {
          request.socket.isKept = true;
          response.writeHead(200, { "content-type": "application/json" }).end(job);
          return;
        }
        charged.push(JSON.parse(body));
        reused.push(request.socket.isKept === true);
        assert.equal(request.headers["content-type"], "application/json");
        lose(response);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const baseUrl = `http://127.0.0.1:${server.address().port}/api/v1`;
      const { stdout } = await run(runs("pay-once.mjs"), {
        SCREENSHOT_SETS_BASE_URL: baseUrl,
        ...(kept && { KEPT: "yes" }),
      });
      server.close();
      server.closeAllConnections();
      const outcome = JSON.parse(stdout);
      assert.deepEqual(charged, [{ appId: "app_1", count: 5, device: "iphone-69" }]);
      // A 421 is a refusal by HTTP's own meaning.
      assert.equal(outcome.charged, loss === "a status of 421" ? "no" : "maybe");
      assert.deepEqual(reused, [kept && keepsConnections]);
    });
  }
}

test("tries again where nobody listens, as nothing was charged, if the runtime tells", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const env = { SCREENSHOT_SETS_BASE_URL: `http://127.0.0.1:${port}/api/v1` };
  const { stdout } = await run(runs("pay-once.mjs"), env);
  const outcome = tellsRefusals ? { charged: "no", attempts: 3 } : { charged: "maybe", attempts: 1 };
  assert.deepEqual(JSON.parse(stdout), { name: "ConnectionError", ...outcome });
});
