import type { Fault, MockAccount } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking, minute, openMock, start } from "./ask.js";

const json = { "content-type": "application/json" };

test("tells what was asked, when, by which key, what was answered and what it cost", async () => {
  const { mock, createApp, createSet, look, ask, listing } = openMock();
  const appId = await createApp();
  await mock.clock.advance(minute);
  await createSet(appId);
  await look("job_1", { headers: {} });
  await ask("/public/v1/secrets", { a: 1 });
  await ask("/public/v1/apps", {}, { body: "{" });

  const [app, ...others] = mock.requests();

  expect(app).toEqual({
    operation: "createApp",
    time: start,
    method: "POST",
    path: "/public/v1/apps",
    key: "ss_live_***",
    keyId: "key_1",
    account: "1",
    body: listing,
    status: 200,
    durationMs: 0,
    responseHeaders: json,
    responseBody: expect.objectContaining({ appId, name: "Mock app_1" }),
    credits: 0,
    guesses: [],
    recorded: [],
  });
  const set = { appId, device: "iphone-69", count: 3 };
  const nobody = { key: undefined, keyId: undefined, account: undefined };
  expect(others).toMatchObject([
    { operation: "createScreenshots", time: start + minute, body: set, status: 201, credits: 10 },
    { operation: "getJob", path: "/public/v1/jobs/job_1", status: 401, ...nobody, body: undefined },
    { operation: undefined, method: "POST", path: "/public/v1/secrets", body: { a: 1 }, status: 404 },
    { operation: "createApp", status: 400, body: "{" },
  ]);
});

test.each<[Fault, answered: object]>([
  [
    { latencyMs: minute },
    { status: 200, durationMs: minute, responseBody: expect.stringMatching(/^\(2\d{4} characters/) },
  ],
  [{ status: 429, retryAfter: 2, body: { wait: true } }, { responseBody: { wait: true } }],
  [{ status: 429, retryAfter: 2 }, { responseHeaders: { ...json, "retry-after": "2" } }],
  [{ status: 204, body: "" }, { responseBody: undefined }],
  ["truncated", { responseBody: expect.stringMatching(/^\{"id":"job_1",.*x$/) }],
  [
    "reset",
    { status: undefined, durationMs: undefined, responseHeaders: undefined, responseBody: undefined },
  ],
])("tells what was answered with %j, as it was sent, and how long that took", async (fault, answered) => {
  const { mock, send, createJob } = openMock({ lifecycle: "instant" });
  mock.nextJob({ outcome: "succeeded", slides: ["x".repeat(25_000)] });
  const jobId = await createJob();
  mock.fault(fault);

  await send(`/public/v1/jobs/${jobId}`).catch(() => {});

  expect(mock.requests({ operation: "getJob" })).toMatchObject([answered]);
});

test("selects by operation and by account", async () => {
  const { mock, createApp, look } = openMock();
  const other = mock.account();
  await createApp();
  await asking(other).createJob();
  await look("job_1", { headers: {} });
  const operationsOf = (account: MockAccount) => mock.requests({ account }).map(({ operation }) => operation);

  expect(operationsOf(mock)).toEqual(["createApp"]);
  expect(operationsOf(other)).toEqual(["createApp", "createScreenshots"]);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(2);
  expect(mock.requests({ account: other, operation: "createApp" })).toMatchObject([{ account: "2" }]);
  expect(mock.requests({})).toHaveLength(4);
});

/** Keys by hand, one of which begins as another does, and some with what JSON or URLs write otherwise. */
const byHand = ["plain-key", "plain-key-and-longer", 'quote"and\\slash', "a/b+c=d%20e"];

test("shows no key that it knows, of any account, wherever and whenever it was sent", async () => {
  const { mock, ask } = openMock();
  const revoked = mock.keys.create();
  mock.keys.revoke(revoked);
  const keys = [mock.clientOptions.apiKey, revoked, ...byHand];

  for (const key of keys) {
    await ask(`/public/v1/jobs/${encodeURIComponent(key)}`);
    await ask("/public/v1/apps", { [key]: 1, iosUrl: "https://a/b", extraContext: `It is ${key}.` });
    await ask("/public/v1/apps", {}, { body: `no JSON: ${key}` });
    mock.fault({ status: 500, body: { [key]: [key] }, headers: { "x-note": key } });
    await ask("/public/v1/apps", [key]);
  }
  for (const apiKey of byHand) mock.account({ apiKey });

  for (const [index, key] of keys.entries()) {
    const mask = key.startsWith("ss_live_") ? "ss_live_***" : "***";
    expect(mock.requests().slice(4 * index, 4 * index + 4)).toMatchObject([
      { path: `/public/v1/jobs/${mask}` },
      { body: { [mask]: 1, iosUrl: "https://a/b", extraContext: `It is ${mask}.` } },
      { body: `no JSON: ${mask}` },
      { body: [mask], responseHeaders: { "x-note": mask }, responseBody: { [mask]: [mask] } },
    ]);
  }
  mock.reset();
  await ask("/public/v1/apps", { extraContext: "plain-key" });
  expect(mock.requests()).toMatchObject([{ body: { extraContext: "plain-key" } }]);
});

test.each([
  ["my-own-key", "*** key_1"],
  ["ss_live_stolen", "ss_live_*** undefined"],
  ["unknown-key", "*** undefined"],
])("shows nowhere the key %s that a request presents", async (key, shown) => {
  const errorBody = ({ message }: { message: string }) => `${message} ${key}`;
  const { mock, ask } = openMock({ apiKey: "my-own-key", undocumented: { errorBody } });

  await ask("/public/v1/apps", { extraContext: `It is ${key}.` }, { headers: { "x-api-key": key } });
  await ask(`/public/v1/jobs/${key}`, undefined, { headers: { authorization: `Bearer ${key}` } });

  expect(JSON.stringify(mock.requests())).not.toContain(key);
  expect(mock.requests().map((entry) => `${entry.key} ${entry.keyId}`)).toEqual([shown, shown]);
});

test("leaves a key of fewer than eight characters in what was sent", async () => {
  const { mock, ask } = openMock({ apiKey: "12345678" });
  mock.account({ apiKey: "abcdefg" });
  await ask("/public/v1/apps", { extraContext: "abcdefg, 12345678" });
  expect(mock.requests()).toMatchObject([{ key: "***", body: { extraContext: "abcdefg, ***" } }]);
});
