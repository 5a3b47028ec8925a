import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { createClient } from "@hey-api/openapi-ts";
import { generate } from "orval";
import { createMock } from "screenshot-sets/mock";

// Clients that other tools generate from the document that the mock serves, compiled, and used against the mock.

const require = createRequire(import.meta.url);
const mock = createMock();
const { apiKey } = mock.clientOptions;
const { url, close } = await mock.listen();
after(close);

before(async () => {
  const input = `${url}/public/openapi.json`;
  await createClient({ input, output: "clients/hey-api", logs: { level: "silent" } });
  await generate({
    input,
    output: { target: "clients/orval.ts", client: "fetch", mode: "single", baseUrl: url },
  });
  execFileSync(process.execPath, [require.resolve("typescript/bin/tsc")], { stdio: "inherit" });
});

for (const tool of ["hey-api", "orval"]) {
  test(`a client of ${tool} goes the whole way`, async () => {
    const { planSet, statusWith } = require(`./built/life-cycles/${tool}.js`);
    mock.reset();

    assert.equal((await planSet(url, apiKey)).length, 3);

    assert.equal(mock.credits.used, 10);
    assert.deepEqual(
      mock.requests().map(({ operation, status }) => `${operation} ${status}`),
      ["createApp 200", "createScreenshots 201", "getJob 200", "getJob 200", "getJob 200"],
    );
    assert.equal(await statusWith(url, "wrong"), 401);
  });
}
