import { ScreenshotSets } from "screenshot-sets";
import { version } from "screenshot-sets/package.json";
import { expect, onTestFinished, test } from "vitest";
import { rejection } from "../../helpers/rejection.js";
import { requireIdempotencyKey } from "../../helpers/require-idempotency-key.js";
import { asking, start } from "../ask.js";
import { servedPage } from "./served-page.js";

const refused = (status: number, code: string) => ({ status, body: { error: { code } } });

test("says where the page is; without it, page and control API are not there", async () => {
  const off = await servedPage({}, { page: false });
  const { pageUrl, url } = await servedPage();

  expect(`${pageUrl}api/v1`).toBe(url);
  expect(off.listener.pageUrl).toBeUndefined();
  for (const path of ["/", "/_mock/state", "/_mock/openapi.json", "/_mock/page.js"]) {
    const response = await fetch(new URL(path, off.url), { method: "POST" });
    expect(response.status).toBe(404);
    expect((await response.json()).error.message).toMatch(/control API are off.*--no-page/);
  }
});

test("sends its files compressed, in less than 25 kB", async () => {
  const { pageUrl } = await servedPage();
  let bytes = 0;
  for (const path of ["", "_mock/page.js", "_mock/style.css", "_mock/icon.svg"]) {
    const { headers } = await fetch(pageUrl + path, { headers: { "accept-encoding": "gzip" } });
    expect(headers.get("content-encoding")).toBe("gzip");
    bytes += Number(headers.get("content-length"));
  }

  expect(bytes).toBeLessThan(25_000);
});

test("shows a mock that nothing has happened to, and the same after a reset, in another epoch", async () => {
  const { ask, look, url, createJob, state } = await servedPage();
  const fresh = await state();
  const settings = { allowance: 100, lifecycle: { queued: 1, running: 1, unit: "polls" } };
  const keys = [{ id: "key_1", masked: "ss_live_***", revoked: false }];
  expect(fresh).toEqual({
    version,
    url,
    token: expect.any(String),
    epoch: expect.any(Number),
    clock: { kind: "virtual", now: start },
    accounts: [{ id: "1", remaining: 100, used: 0, ...settings, keys, apps: 0, jobs: 0 }],
    jobs: [],
    jobCount: 0,
    ledger: [],
    faults: [],
    requests: { total: 0, kept: 0, open: 0 },
  });

  await createJob();
  await ask("POST", "accounts");
  await ask("POST", "accounts/1/keys");
  await ask("PATCH", "accounts/1", { body: { lifecycle: "manual" } });
  expect((await ask("POST", "clock", { body: { advanceMs: 90_000 } })).body).toEqual({
    kind: "virtual",
    now: start + 90_000,
  });
  await ask("POST", "faults", { body: { fault: "hang", times: 2 } });
  look("job_1").catch(() => {});
  await expect.poll(async () => (await state()).requests.open).toBe(1);
  expect((await ask("POST", "reset")).status).toBe(204);

  const { epoch } = await state();
  expect(epoch).not.toBe(fresh.epoch);
  expect(await state()).toEqual({ ...fresh, epoch });
  expect((await ask("POST", "accounts")).body.id).toBe("2");
});

test("shows jobs, ledger and requests of all accounts, the newest first", async () => {
  const { mock, state, createJob } = await servedPage();
  await createJob();
  const set = { device: "ipad-pro", count: 2 };
  await asking(mock.account()).createJob(set);
  await createJob();

  const { jobs, jobCount, ledger, requests, accounts } = await state();

  expect(jobs).toMatchObject([{ id: "job_2" }, { id: "job_2_1" }, { id: "job_1" }]);
  const { lifecycle } = accounts[1];
  const queued = { status: "queued", polls: 0, acceptedAt: start, endedAt: null, lifecycle };
  const ids = { id: "job_2_1", account: "2", appId: "app_2_1", keyId: "key_2_1" };
  expect(jobs[1]).toEqual({ ...ids, ...set, ...queued });
  expect(ledger).toEqual([
    { account: "1", time: start, amount: -10, jobId: "job_2", keyId: "key_1" },
    { account: "2", time: start, amount: -10, jobId: "job_2_1", keyId: "key_2_1" },
    { account: "1", time: start, amount: -10, jobId: "job_1", keyId: "key_1" },
  ]);
  expect([jobCount, requests]).toEqual([3, { total: 6, kept: 6, open: 0 }]);
  expect(accounts).toMatchObject([
    { apps: 2, jobs: 2, used: 20 },
    { apps: 1, jobs: 1, used: 10 },
  ]);
});

test("lists jobs in pages, by account and by status", async () => {
  const { ask, createSet, createApp } = await servedPage({ allowance: 100, lifecycle: "manual" });
  const appId = await createApp();
  for (let index = 0; index < 5; index++) await createSet(appId);
  await ask("POST", "jobs/job_2/succeed");
  const ids = async (query: string) => {
    const { body } = await ask("GET", `jobs?${query}`);
    return [body.total, body.jobs.map(({ id }: { id: string }) => id).join()];
  };

  expect(await ids("limit=2")).toEqual([5, "job_5,job_4"]);
  expect(await ids("limit=2&before=job_4")).toEqual([5, "job_3,job_2"]);
  expect(await ids("status=succeeded")).toEqual([1, "job_2"]);
  expect(await ids("status=queued&account=1&before=job_3")).toEqual([4, "job_1"]);
  expect(await ids("account=2")).toEqual([0, ""]);
});

test("lists jobs by a status that only a recording has", async () => {
  const recorded = { version: 1 as const, set: { states: ["rendering", "succeeded"] } };
  const { ask, createJob } = await servedPage({ recorded });
  await createJob();
  expect((await ask("GET", "jobs?status=rendering")).body).toMatchObject({
    total: 1,
    jobs: [{ id: "job_1" }],
  });
});

test("moves jobs by hand, and looks at them without polling", async () => {
  const { mock, ask, createJob } = await servedPage({ lifecycle: "manual" });
  for (let job = 1; job <= 2; job++) await createJob();

  expect((await ask("POST", "jobs/job_1/advance")).body).toMatchObject({ status: "running", result: null });
  expect((await ask("POST", "jobs/job_1/succeed")).body).toMatchObject({
    status: "succeeded",
    polls: 0,
    endedAt: start,
    result: { device: "iphone-69", slides: [{ index: 0 }, { index: 1 }, { index: 2 }] },
    error: null,
    guesses: ["slide"],
  });
  expect(await ask("POST", "jobs/job_1/fail")).toMatchObject(refused(409, "job_ended"));
  const failed = await ask("POST", "jobs/job_2/fail", { body: { error: { reason: "so" } } });
  expect(failed.body).toMatchObject({ status: "failed", error: { reason: "so" }, result: null, guesses: [] });
  expect((await ask("GET", "jobs/job_2")).body).toEqual(failed.body);
  expect(mock.jobs.get("job_2")).toMatchObject({ status: "failed", error: { reason: "so" } });
});

test("decides an account's next job, and the credits and the lifecycle of those to come", async () => {
  const { mock, ask, createJob, look } = await servedPage();
  const plan = { outcome: "failed", lifecycle: "instant" };
  const change = { remaining: 10, lifecycle: "manual" };

  expect((await ask("POST", "accounts/1/next-job", { body: plan })).status).toBe(204);
  await createJob();
  expect((await ask("PATCH", "accounts/1", { body: change })).body).toMatchObject(change);
  expect((await ask("PATCH", "accounts/1", { body: { remaining: 10 } })).body).toMatchObject(change);
  await createJob();

  expect((await look("job_1")).body.status).toBe("failed");
  expect((await ask("GET", "jobs/job_2")).body.lifecycle).toBe("manual");
  expect(mock.credits.remaining).toBe(0);
});

test.each([
  ["instant", "instant"],
  ["manual", "manual"],
  ["2p,3p", { queued: 2, running: 3, unit: "polls" }],
  ["0.5s,2s", { queued: 500, running: 2000, unit: "ms" }],
  [
    { queued: 0, running: 1, unit: "polls" },
    { queued: 0, running: 1, unit: "polls" },
  ],
])(
  "takes a lifecycle in the words of the command line, wherever it takes one: %j",
  async (given, lifecycle) => {
    const { ask, createJob } = await servedPage();
    const body = { lifecycle: given };

    expect((await ask("POST", "accounts", { body })).body).toMatchObject({ lifecycle });
    expect((await ask("PATCH", "accounts/1", { body })).body).toMatchObject({ lifecycle });
    await ask("POST", "accounts/1/next-job", { body: { outcome: "succeeded", ...body } });
    const jobId = await createJob();
    expect((await ask("GET", `jobs/${jobId}`)).body.lifecycle).toEqual(lifecycle);
  },
);

test("opens accounts, and makes and revokes keys", async () => {
  const { ask, look, state } = await servedPage();

  const opened = await ask("POST", "accounts", { body: { allowance: 30 } });
  expect(opened).toMatchObject({ status: 201, body: { id: "2", remaining: 30, allowance: 30 } });
  const made = await ask("POST", "accounts/2/keys");
  expect(made).toMatchObject({ status: 201, body: { id: "key_2_2" } });
  for (const key of [opened.body.key, made.body.key]) {
    expect((await look("job_1", { headers: { "x-api-key": key } })).status).toBe(404);
  }
  expect((await ask("DELETE", "accounts/2/keys/key_2_2")).status).toBe(204);
  expect((await look("job_1", { headers: { "x-api-key": made.body.key } })).status).toBe(401);
  expect((await state()).accounts[1].keys).toEqual([
    { id: "key_2_1", masked: "ss_live_***", revoked: false },
    { id: "key_2_2", masked: "ss_live_***", revoked: true },
  ]);
  expect((await ask("DELETE", "accounts/1/keys/key_2_2")).status).toBe(404);
  expect((await ask("POST", "accounts", { body: { apiKey: opened.body.key } })).status).toBe(400);
});

test("shows faults as armed and counted down, arms them again as it shows them, and disarms them", async () => {
  const { ask, look, state, createApp } = await servedPage();
  const fault = { status: 503, body: { oh: "no" }, headers: { "x-a": "b" }, retryAfter: 2 };
  const some = { fault, operation: "getJob", times: 2, skip: 1, when: "before" };
  const always = { fault: "hang", operation: "createApp", times: null, skip: 0, when: "after" };

  const armed = await ask("POST", "faults", { body: some });
  expect(armed).toMatchObject({ status: 201, body: { id: "fault_1", ...some } });
  await ask("POST", "faults", { body: always });
  expect([(await look("job_1")).status, (await look("job_1")).status]).toEqual([404, 503]);
  const shown = (await state()).faults;
  expect(shown).toEqual([
    { id: "fault_1", ...some, times: 1, skip: 0 },
    { id: "fault_2", ...always },
  ]);
  const { id, ...again } = shown[1];
  expect((await ask("POST", "faults", { body: again })).body).toEqual({ id: "fault_3", ...always });
  for (const status of [204, 404]) expect((await ask("DELETE", "faults/fault_2")).status).toBe(status);
  expect((await ask("DELETE", "faults")).status).toBe(204);
  expect((await state()).faults).toEqual([]);
  expect(await createApp()).toBe("app_1");
});

test("keeps the faults, the requests and the reset of an account from the others", async () => {
  const { mock, ask, look, createJob, state } = await servedPage();
  mock.fault("hang", { skip: 4, times: 2 });
  const { key } = (await ask("POST", "accounts")).body;
  const second = { headers: { "x-api-key": key } };
  const seen = async (query: string) => (await ask("GET", `requests?${query}`)).body.matching;

  const armed = await ask("POST", "faults", { body: { fault: { status: 503 }, account: "2", times: null } });
  expect(armed.body).toMatchObject({ account: "2", operation: null });
  await createJob();
  expect([(await look("job_1")).status, (await look("job_1", second)).status]).toEqual([200, 503]);
  expect([await seen("account=1"), await seen("account=2"), await seen("account=3")]).toEqual([3, 1, 0]);

  for (const init of [second, {}]) look("job_1", init).catch(() => {});
  await expect.poll(async () => (await state()).requests.open).toBe(2);
  const { epoch } = await state();
  expect((await ask("POST", "accounts/2/reset")).status).toBe(204);
  expect((await state()).epoch).not.toBe(epoch);
  expect(await state()).toMatchObject({ faults: [], jobCount: 1, requests: { total: 6, kept: 4, open: 1 } });
  expect((await ask("GET", "requests")).body.requests).toHaveLength(4);
  expect((await ask("POST", "accounts/1/reset")).status).toBe(204);
  expect(await state()).toMatchObject({ jobCount: 0, accounts: [{ remaining: 100 }, { id: "2" }] });
  expect(await createJob()).toBe("job_1");
  expect((await ask("POST", "faults", { body: { fault: "hang", account: "3" } })).status).toBe(404);
});

test("a request that was delayed does not reach an account that was reset meanwhile", async () => {
  const { ask, state, mock } = await servedPage({ clock: "system" });
  const { key } = (await ask("POST", "accounts")).body;
  mock.fault({ latencyMs: 30_000 });
  const client = new ScreenshotSets({ ...mock.clientOptions, apiKey: key, maxRetries: 0 });
  const created = rejection(client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" }));
  await expect.poll(async () => (await state()).requests.open).toBe(1);
  expect((await ask("POST", "accounts/2/reset")).status).toBe(204);
  await mock.clock.advance(30_000);
  expect(await created).toMatchObject({ name: "ConnectionError" });
  expect(await state()).toMatchObject({
    accounts: [{}, { id: "2", apps: 0 }],
    requests: { kept: 0, open: 0 },
  });
});

test("plans a set as a client with the account's key would, and passes a refusal on", async () => {
  requireIdempotencyKey("idempotency-key");
  onTestFinished(() => requireIdempotencyKey(undefined));
  const { ask, mock } = await servedPage({ allowance: 15 });
  const body = { iosUrl: "https://apps.apple.com/app/id1", device: "ipad-pro", count: 2 };

  const planned = await ask("POST", "accounts/1/sets", { body });
  const second = await ask("POST", "accounts/1/sets", { body });

  expect(planned).toMatchObject({ status: 201, body: { id: "job_1", device: "ipad-pro", count: 2 } });
  expect(second).toMatchObject(refused(400, "invalid_request"));
  expect(second.body.error.message).toMatch(/answered 402.*credits/);
  for (const { keyId } of mock.requests()) expect(keyId).toBe("key_1");

  mock.credits.set(100);
  await ask("POST", "accounts/1/keys");
  await ask("DELETE", "accounts/1/keys/key_1");
  await ask("POST", "accounts/1/sets", { body });
  expect(mock.requests().at(-1)).toMatchObject({ keyId: "key_2", status: 201 });
});

test("lists requests in pages, by operation and status, and by words in path and body", async () => {
  const { mock, ask, call, createJob, look } = await servedPage();
  await createJob();
  await look("job_9");
  await call("/elsewhere");
  mock.fault("reset");
  await look("job_1").catch(() => {});
  const ids = async (query: string) => {
    const { body } = await ask("GET", `requests?${query}`);
    expect(body.total).toBe(5);
    return `${body.requests.map(({ id }: { id: number }) => id)} of ${body.matching}`;
  };

  expect(await ids("")).toBe("5,4,3,2,1 of 5");
  expect(await ids("limit=2")).toBe("5,4 of 5");
  expect(await ids("limit=2&before=4")).toBe("3,2 of 5");
  expect(await ids("operation=getJob")).toBe("5,3 of 2");
  expect(await ids("operation=none")).toBe("4 of 1");
  expect(await ids("status=4xx")).toBe("4,3 of 2");
  expect(await ids("status=201")).toBe("2 of 1");
  expect(await ids("status=none")).toBe("5 of 1");
  expect(await ids("search=APPid")).toBe("2 of 1");
  expect(await ids("search=job_&status=404&operation=getJob")).toBe("3 of 1");
});

test("shows a request as the journal does, in lists without bodies, and null for what is absent", async () => {
  const { mock, ask, look, createJob } = await servedPage();
  await createJob();
  mock.fault("reset");
  await look("job_1").catch(() => {});

  const entry = { id: 2, hasBody: true, ...mock.requests()[1] };
  expect((await ask("GET", "requests/2")).body).toEqual(entry);
  const { body, responseHeaders, responseBody, ...row } = entry;
  expect((await ask("GET", "requests?search=iphone")).body.requests).toEqual([row]);
  expect((await ask("GET", "requests/3")).body).toMatchObject({
    hasBody: false,
    body: null,
    status: null,
    durationMs: null,
    responseHeaders: null,
    responseBody: null,
  });
});

test("keeps the newest 10,000 requests, with their numbers", async () => {
  const { mock, ask } = await servedPage();
  const { baseUrl } = mock.clientOptions;
  for (let index = 1; index <= 10_003; index++) await mock.fetch(`${baseUrl}/${index}`);

  const { body } = await ask("GET", "requests?before=6");

  expect(body).toMatchObject({ total: 10_003, kept: 10_000, matching: 10_000 });
  expect(body.requests).toMatchObject([{ id: 5, path: "/5" }, { id: 4 }]);
  expect((await ask("GET", "requests/3")).status).toBe(404);
  expect((await ask("GET", "requests/4")).body.path).toBe("/4");
  const paths = mock.requests().map(({ path }) => path);
  expect([paths.length, paths[0], paths.at(-1)]).toEqual([10_000, "/4", "/10003"]);
});

test("counts a request as open until its client gives up", async () => {
  const { mock, state, look } = await servedPage();
  const client = new AbortController();
  const open = async () => (await state()).requests.open;
  mock.fault("hang");
  look("job_1", { signal: client.signal }).catch(() => {});
  await expect.poll(open).toBe(1);

  client.abort();

  await expect.poll(open).toBe(0);
});

const codes = { 400: "invalid_request", 404: "not_found", 405: "method_not_allowed" };

test.each<[method: string, path: string, status: keyof typeof codes, body?: unknown, named?: string]>([
  ["POST", "accounts/1/next-job", 400, { outcome: "succeeded", slide: [] }, "slide"],
  ["POST", "faults", 400, { fault: "explode" }, "fault"],
  ["POST", "faults", 400, { fault: { latencyMs: 3, retryAfter: 3 } }, "status"],
  ["POST", "clock", 400, { advanceMs: -1 }, "advanceMs"],
  ["POST", "clock", 400, { advanceMs: 1e300 }, "no date"],
  ["POST", "clock", 400, "{", "JSON"],
  ["POST", "reset", 400, { all: true }, "all"],
  [
    "PATCH",
    "accounts/1",
    400,
    { remaining: 5, lifecycle: { queued: -1, running: 0, unit: "ms" } },
    "lifecycle",
  ],
  ["POST", "accounts", 400, { apiKey: "a b" }, "apiKey"],
  [
    "POST",
    "accounts",
    400,
    { lifecycle: "soon" },
    "Expected `lifecycle` to be instant, manual, recorded, or",
  ],
  ["POST", "accounts/1/next-job", 400, { outcome: "failed", lifecycle: "1p" }, "Expected `lifecycle` to be"],
  ["GET", "jobs?limit=0", 400],
  ["GET", "jobs?page=2", 400],
  ["GET", "requests?status=5x", 400],
  ["GET", "requests?before=x", 400],
  ["GET", "", 404],
  ["GET", "jobs/%", 404],
  ["GET", "jobs?before=job_1", 404],
  ["GET", "requests/x", 404],
  ["POST", "jobs/job_1/advance", 404],
  ["PATCH", "accounts/2", 404],
  ["PUT", "state", 405, undefined, "GET, HEAD"],
  ["POST", "events", 405, undefined, "GET, HEAD"],
  ["PUT", "faults", 405, undefined, "POST, DELETE"],
])(
  "refuses %s %s with %i, says why, and changes nothing: %j",
  async (method, path, status, body, named = "") => {
    const { ask, state } = await servedPage();
    const before = await state();

    const answer = await ask(method, path, { body });

    expect(answer).toMatchObject(refused(status, codes[status]));
    expect(answer.body.error.message).toContain(named);
    expect(answer.headers.allow).toBe(status === 405 ? named : undefined);
    expect(await state()).toEqual(before);
  },
);

test("answers HEAD without a body, also where it streams", async () => {
  const { send } = await servedPage();

  for (const path of ["/", "/_mock/state", "/_mock/events"]) {
    expect(await send("HEAD", path)).toMatchObject({ status: 200, text: "" });
  }
});

test("takes JSON alone that is not too large, and no body without a type from programs alone", async () => {
  const { ask, send, state } = await servedPage();
  const text = { "content-type": "text/plain" };
  const charset = { "content-type": "Application/JSON; charset=utf-8" };
  const browser = { "sec-fetch-site": "same-origin", "x-mock-token": (await state()).token };

  for (const body of ["{}", "x".repeat(2 ** 21)]) {
    expect(await ask("POST", "reset", { body, headers: text })).toMatchObject(refused(415, "not_json"));
  }
  const large = { outcome: "succeeded", slides: ["x".repeat(2 ** 20)] };
  const answer = await ask("POST", "accounts/1/next-job", { body: large });
  expect(answer).toMatchObject(refused(413, "too_large"));
  expect((await ask("POST", "reset", { body: {}, headers: charset })).status).toBe(204);
  expect((await send("POST", "/_mock/reset")).status).toBe(204);
  expect((await send("POST", "/_mock/reset", browser)).status).toBe(415);
});

test("is no poll, no row of the journal, and no charge", async () => {
  const { mock, ask, createJob } = await servedPage();
  await createJob();

  for (const path of ["state", "jobs", "jobs/job_1", "requests", "requests/1"]) await ask("GET", path);

  expect(mock.requests()).toHaveLength(2);
  expect(mock.credits.used).toBe(10);
  expect((await ask("GET", "jobs/job_1")).body).toMatchObject({ status: "queued", polls: 0 });
});
