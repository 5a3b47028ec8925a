import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { createMock } from "screenshot-sets/mock";

// The mock behind Prism's validating proxy, which answers with an error of its own for whatever breaks the document.

const mock = createMock({ allowance: 1_000 });
const { apiKey } = mock.clientOptions;
const { url, close } = await mock.listen();
let proxy;
let proxyUrl;

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

before(async () => {
  const port = await freePort();
  const { bin } = createRequire(import.meta.url)("@stoplight/prism-cli/package.json");
  const command = new URL(`node_modules/@stoplight/prism-cli/${bin.prism}`, import.meta.url).pathname;
  const args = ["proxy", `${url}/public/openapi.json`, url, "--errors", "--port", String(port)];
  proxy = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  proxyUrl = `http://127.0.0.1:${port}`;
  await new Promise((resolve) => {
    proxy.stdout.on("data", (text) => {
      if (String(text).includes("is listening")) resolve();
    });
  });
});

after(async () => {
  proxy.kill();
  await close();
});

async function ask(path, body, headers = { authorization: `Bearer ${apiKey}` }) {
  const response = await fetch(proxyUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const violations = response.headers.get("sl-violations");
  return { status: response.status, body: await response.json(), violations };
}

async function createJob(more) {
  const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" };
  const app = await ask("/public/v1/apps", listing);
  assert.deepEqual([app.status, app.violations], [200, null]);
  const set = { appId: app.body.appId, device: "iphone-69", count: 3, ...more };
  const accepted = await ask("/public/v1/screenshots", set);
  assert.deepEqual([accepted.status, accepted.violations], [201, null]);
  return accepted.body.jobId;
}

async function statesOf(jobId) {
  const states = [];
  for (let look = 0; look < 4; look++) {
    const { status, body, violations } = await ask(`/public/v1/jobs/${jobId}`);
    assert.deepEqual([status, violations], [200, null]);
    states.push(body.status);
  }
  return states;
}

test("every answer on the way to the slides is valid", async () => {
  assert.deepEqual(await statesOf(await createJob()), ["queued", "running", "succeeded", "succeeded"]);
});

test("every answer is valid with each device, and with every field of a request", async () => {
  for (const device of ["iphone-67", "iphone-65", "ipad-pro", "android-phone", "android-tablet"]) {
    const more = { device, captionStyle: "aso-expert", captionLength: "long", narrativeId: "a-story" };
    assert.equal((await statesOf(await createJob(more))).at(-1), "succeeded");
  }
});

test("the answers of a job that fails are valid", async () => {
  mock.nextJob({ outcome: "failed", error: { reason: "none" } });
  mock.nextJob({ outcome: "failed" });

  for (const jobId of [await createJob(), await createJob()]) {
    assert.deepEqual(await statesOf(jobId), ["queued", "running", "failed", "failed"]);
  }
});

test("the refusal of a key is valid, in either header", async () => {
  for (const headers of [{ authorization: "Bearer wrong" }, { "x-api-key": "wrong" }]) {
    const { status, body, violations } = await ask("/public/v1/jobs/job_1", undefined, headers);
    assert.deepEqual([status, body.error.code, violations], [401, "unauthorized", null]);
  }
});

test("the proxy would have found an answer that is not valid", async () => {
  const jobId = await createJob();
  const job = { id: jobId, status: "queued", result: null, error: null };
  const invalid = [
    { status: 200, body: { ...job, status: "asleep" } },
    { status: 200, body: { ...job, error: undefined } },
    { status: 200, body: { ...job, result: { device: "watch", slides: [] } } },
  ];

  for (const fault of invalid) {
    mock.fault(fault);
    const { body } = await ask(`/public/v1/jobs/${jobId}`);
    assert.match(String(body.type), /prism\/errors#VIOLATIONS$/);
  }
});
