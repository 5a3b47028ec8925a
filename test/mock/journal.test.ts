import { createMock, type Fault, type MockAccount } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking, minute } from "./ask.js";

const start = Date.UTC(2026, 0, 1);

test("tells what was asked, when, by which key, what was answered and what it cost", async () => {
  const mock = createMock();
  const { createApp, createSet, look, listing } = asking(mock);
  const appId = await createApp();
  await mock.clock.advance(minute);
  await createSet(appId);
  await look("job_1", { headers: {} });

  const [app, set, read] = mock.requests();

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
    responseHeaders: { "content-type": "application/json" },
    responseBody: expect.objectContaining({ appId, name: "Mock app_1" }),
    credits: 0,
    guesses: [],
  });
  expect(set).toMatchObject({
    operation: "createScreenshots",
    time: start + minute,
    body: { appId, device: "iphone-69", count: 3 },
    status: 201,
    credits: 10,
  });
  expect(read).toMatchObject({ operation: "getJob", path: "/public/v1/jobs/job_1", status: 401 });
  expect(read).toMatchObject({ key: undefined, keyId: undefined, account: undefined, body: undefined });
});

test("tells what was answered, as it was sent, and how long that took on the clock", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const { send, createJob } = asking(mock);
  mock.nextJob({ outcome: "succeeded", slides: ["x".repeat(20_000)] });
  const jobId = await createJob();
  const faults: [Fault, answered: object][] = [
    [
      { latencyMs: minute },
      { status: 200, durationMs: minute, responseBody: expect.stringMatching(/^\(2\d{4} char/) },
    ],
    [
      { status: 429, retryAfter: 2, body: { wait: true } },
      { responseHeaders: { "retry-after": "2" }, responseBody: { wait: true } },
    ],
    [
      { status: 502, body: "<p>Busy" },
      { responseHeaders: { "content-type": "text/html" }, responseBody: "<p>Busy" },
    ],
    [
      { status: 204, body: "" },
      { status: 204, responseBody: undefined },
    ],
    ["malformed", { responseBody: expect.stringMatching(/^<!doctype/) }],
    [
      "reset",
      { status: undefined, durationMs: undefined, responseHeaders: undefined, responseBody: undefined },
    ],
  ];
  for (const [fault] of faults) {
    mock.fault(fault);
    await send(`/public/v1/jobs/${jobId}`).catch(() => {});
  }

  expect(mock.requests({ operation: "getJob" })).toMatchObject(faults.map(([, answered]) => answered));
});

test("shows half of an answer that broke off, and no key in any", async () => {
  const mock = createMock({
    apiKey: "my-own-key",
    undocumented: { errorBody: () => "my-own-key or sent-key" },
  });
  const { ask, createApp } = asking(mock);
  await ask("/public/v1/jobs/none", undefined, { headers: { "x-api-key": "sent-key" } });
  mock.fault({ status: 500, body: "!", headers: { "x-note": "my-own-key" } });
  mock.fault("truncated");
  await createApp().catch(() => {});
  await createApp().catch(() => {});

  expect(mock.requests()).toMatchObject([
    { responseBody: "*** or ***" },
    { responseHeaders: { "x-note": "***" } },
    { responseBody: expect.stringMatching(/^\{"appId":"app_1"[^}]*$/) },
  ]);
});

test("has a body that is no JSON as it was sent", async () => {
  const mock = createMock();
  await asking(mock).ask("/public/v1/apps", {}, { body: "{" });
  expect(mock.requests()).toMatchObject([{ status: 400, body: "{" }]);
});

test("has a body that is nested too deeply as it was sent, which no operation accepts", async () => {
  const mock = createMock();
  const nested = (levels: number) => `{"iosUrl":"x","z":${"[".repeat(levels)}"\\u0041"${"]".repeat(levels)}}`;
  const { ask } = asking(mock);
  for (const levels of [100_000, 998]) await ask("/public/v1/apps", {}, { body: nested(levels) });
  expect(mock.requests()).toMatchObject([
    { status: 400, body: nested(100_000) },
    { status: 200, body: { iosUrl: "x" } },
  ]);
});

test("selects by operation", async () => {
  const mock = createMock();
  const { createJob, look } = asking(mock);
  await look(await createJob());
  await look("job_1");

  expect(mock.requests({ operation: "getJob" })).toHaveLength(2);
  expect(mock.requests({ operation: "createApp" })).toHaveLength(1);
  expect(mock.requests({})).toHaveLength(4);
});

test("selects by account", async () => {
  const mock = createMock();
  const other = mock.account();
  await asking(mock).createApp();
  await asking(other).createJob();
  await asking(mock).look("job_1", { headers: {} });
  const operationsOf = (account: MockAccount) => mock.requests({ account }).map(({ operation }) => operation);

  expect(operationsOf(mock)).toEqual(["createApp"]);
  expect(operationsOf(other)).toEqual(["createApp", "createScreenshots"]);
  expect(mock.requests({ account: other, operation: "createApp" })).toMatchObject([{ account: "2" }]);
});

test("shows no key, wherever one was sent", async () => {
  const mock = createMock({ apiKey: "my-own-key" });
  const generated = mock.keys.create();
  const { ask } = asking(mock);

  for (const key of ["my-own-key", generated, "ss_live_stolen", "unknown-key"]) {
    const body = { iosUrl: `https://a/${key}`, extraContext: `the key is ${key}` };
    await ask("/public/v1/apps", body, { headers: { "x-api-key": key } });
    await ask(`/public/v1/jobs/${key}`, undefined, { headers: { authorization: `Bearer ${key}` } });
  }

  const text = JSON.stringify(mock.requests());
  for (const key of ["my-own-key", generated, "stolen", "unknown-key"]) expect(text).not.toContain(key);
  expect(mock.requests().map(({ key, keyId }) => `${key} ${keyId}`)).toEqual([
    ...["*** key_1", "*** key_1", "ss_live_*** key_2", "ss_live_*** key_2"],
    ...["ss_live_*** undefined", "ss_live_*** undefined", "*** undefined", "*** undefined"],
  ]);
});

test.each(['quote"and\\slash', "a/b+c=d%20e", "plain-key"])(
  "shows no key as JSON or URLs write it: %s",
  async (key) => {
    const mock = createMock({ apiKey: key });
    const { ask } = asking(mock);

    await ask("/public/v1/apps", { iosUrl: "https://a/b", extraContext: `the key is ${key}` });
    await ask(`/public/v1/jobs/${encodeURIComponent(key)}`);

    expect(mock.requests()).toMatchObject([
      { key: "***", body: { iosUrl: "https://a/b", extraContext: "the key is ***" } },
      { key: "***", path: "/public/v1/jobs/***" },
    ]);
  },
);

test("shows no key of any account, wherever it was sent", async () => {
  const mock = createMock();
  const given = ["first-by-hand", "first-by-hand-and-longer", 'quote"and\\slash', "a/b+c=d%20e"];
  const others = [undefined, ...given].map((apiKey) => mock.account({ apiKey }));
  const revoked = mock.keys.create();
  mock.keys.revoke(revoked);
  const keys = [
    revoked,
    others[2]?.keys.create() as string,
    ...others.map((one) => one.clientOptions.apiKey),
  ];
  const { ask } = asking(mock);

  for (const key of keys) {
    await ask(`/public/v1/jobs/${encodeURIComponent(key)}`);
    await ask("/public/v1/apps", { [key]: 1, iosUrl: "https://a/b", extraContext: `It is ${key}.` });
    await ask("/public/v1/apps", {}, { body: `no JSON: ${key}` });
    const unknown = { headers: { authorization: "Bearer unknown-key" } };
    await ask("/public/v1/apps", [key, "unknown-key"], unknown);
  }

  for (const [index, key] of keys.entries()) {
    const mask = key.startsWith("ss_live_") ? "ss_live_***" : "***";
    expect(mock.requests().slice(4 * index, 4 * index + 4)).toMatchObject([
      { path: `/public/v1/jobs/${mask}` },
      { body: { [mask]: 1, iosUrl: "https://a/b", extraContext: `It is ${mask}.` } },
      { body: `no JSON: ${mask}` },
      { key: "***", body: [mask, "***"] },
    ]);
  }
});

test("shows no key, whichever of its characters a URL escapes", async () => {
  const key = "hand-made-key/1+2";
  const mock = createMock({ apiKey: key });
  const { ask } = asking(mock);

  const extraContext = `https://a/?k=${encodeURIComponent(key)}&q=%22quoted%22&p=C%3A%5Cnew&r=100%25`;
  await ask("/public/v1/apps", { iosUrl: "https://a/b", extraContext });
  expect(mock.requests()).toMatchObject([
    { body: { extraContext: "https://a/?k=***&q=%22quoted%22&p=C%3A%5Cnew&r=100%25" } },
  ]);

  const forms = [
    "hand-made-key%2f1%2b2",
    "hand-made-key%2F1+2",
    "%68and-made-key/1%2B2",
    "hand-made-key/1+2",
  ];
  for (const form of forms) await ask(`/public/v1/jobs/${form}`);

  const [, ...paths] = mock.requests().map(({ path }) => path);
  expect(paths).toEqual(forms.map(() => "/public/v1/jobs/***"));
});

test("shows no key whose characters JSON writes as escapes", async () => {
  const mock = createMock({ apiKey: "ab/cd/efgh/12" });
  const generated = mock.keys.create();
  const { ask } = asking(mock);

  for (const key of ["ab\\/cd\\/efgh\\/12", generated.replace("s", "\\u0073")]) {
    await ask("/public/v1/apps", {}, { body: `{"iosUrl":"https://a/b","extraContext":"${key}"}` });
  }

  expect(mock.requests()).toMatchObject([
    { status: 200, body: { iosUrl: "https://a/b", extraContext: "***" } },
    { status: 200, body: { iosUrl: "https://a/b", extraContext: "ss_live_***" } },
  ]);
});

test("masks a key given by hand from when the mock knows it until a reset", async () => {
  const mock = createMock();
  const { ask } = asking(mock);
  const send = () => ask("/public/v1/apps", { extraContext: "later-by-hand" });

  await send();
  mock.account({ apiKey: "later-by-hand" });
  await send();
  expect(mock.requests().map(({ body }) => body)).toEqual([
    { extraContext: "later-by-hand" },
    { extraContext: "***" },
  ]);

  mock.reset();
  await send();
  expect(mock.requests()).toMatchObject([{ body: { extraContext: "later-by-hand" } }]);
});

test("leaves another account's key of fewer than eight characters in what was sent", async () => {
  const mock = createMock();
  mock.account({ apiKey: "12345678" });
  mock.account({ apiKey: "abcdefg" });
  await asking(mock).ask("/public/v1/apps", { extraContext: "abcdefg, 12345678" });
  expect(mock.requests()).toMatchObject([{ body: { extraContext: "abcdefg, ***" } }]);
});

// Looking for one key after the other takes a second a row, and the test runs out of time.
test("masks one of thousands of keys in long bodies, row after row", async () => {
  const mock = createMock();
  for (let index = 0; index < 2_000; index++) {
    mock.account({ apiKey: `key-by-hand-${index}` });
    mock.keys.create();
  }
  const text = "key-by-hand ss_live_mock ".repeat(25_000);
  const { ask } = asking(mock);
  for (let row = 0; row < 40; row++) {
    await ask("/public/v1/apps", { iosUrl: "https://a/b", extraContext: `${text}key-by-hand-1999` });
  }
  const contexts = mock.requests().map(({ body }) => (body as { extraContext: string }).extraContext);
  expect(contexts.map((context) => context.slice(-7))).toEqual(Array(40).fill("ock ***"));
});

test("leaves what was sent as it is with a key that is too short for a secret", async () => {
  const mock = createMock({ apiKey: "app" });
  const { createApp, listing } = asking(mock);
  await createApp();
  expect(mock.requests()).toMatchObject([{ key: "***", path: "/public/v1/apps", body: listing }]);
});

test("keeps the cost of what was charged though its answer was lost", async () => {
  const mock = createMock();
  const { createJob, createSet } = asking(mock);
  await createJob();
  mock.fault("reset", { when: "after" });
  mock.fault({ status: 500 }, { when: "after" });
  mock.fault({ status: 500 });

  for (let call = 0; call < 3; call++) await createSet("app_1").catch(() => undefined);

  const entries = mock.requests({ operation: "createScreenshots" });
  expect(entries.map(({ status, credits }) => [status, credits])).toEqual([
    [201, 10],
    [undefined, 10],
    [500, 10],
    [500, 0],
  ]);
});

test("has an entry for a request that hangs, and for a path that the document does not have", async () => {
  const mock = createMock();
  const { send, ask } = asking(mock);
  mock.fault("hang");

  void send("/public/v1/jobs/job_1");
  await ask("/public/v1/secrets", { a: 1 });

  expect(mock.requests()).toMatchObject([
    { operation: "getJob", status: undefined },
    { operation: undefined, method: "POST", path: "/public/v1/secrets", body: { a: 1 }, status: 404 },
  ]);
});

test("keeps the newest 10,000 requests, the oldest first", async () => {
  const mock = createMock();
  const { send } = asking(mock);

  for (let number = 0; number < 10_003; number++) await send(`/public/v1/jobs/${number}`);

  const paths = mock.requests().map(({ path }) => path);
  expect(paths).toHaveLength(10_000);
  expect([paths[0], paths.at(-1)]).toEqual(["/public/v1/jobs/3", "/public/v1/jobs/10002"]);
});

test("hands out copies", async () => {
  const mock = createMock();
  await asking(mock).createApp();

  for (const entry of mock.requests()) Object.assign(entry, { status: 0 }).guesses.push("slide");

  expect(mock.requests()).toMatchObject([{ status: 200, guesses: [] }]);
});
