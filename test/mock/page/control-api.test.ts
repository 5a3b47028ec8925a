import { expect, onTestFinished, test, vi } from "vitest";
import { requireIdempotencyKey } from "../../helpers/unkeyed-creates.js";
import { asking } from "../ask.js";
import { servedPage } from "./served-page.js";

const patient = { timeout: 20_000 };

test("says where the page is; without it, page and control API are not there", async () => {
  const off = await servedPage({}, { page: false });
  const { pageUrl, url } = await servedPage();

  expect(`${pageUrl}api/v1`).toBe(url);
  expect(off.listener.pageUrl).toBeUndefined();
  for (const path of ["/", "/_mock/state", "/_mock/openapi.json", "/_mock/page.js"]) {
    expect((await fetch(new URL(path, off.url))).status).toBe(404);
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

test("shows a mock that nothing has happened to", async () => {
  const { ask, url } = await servedPage();

  expect(await ask("GET", "state")).toMatchObject({
    status: 200,
    body: {
      ...{ version: "0.1.0", url, clock: { kind: "virtual", now: Date.UTC(2026, 0, 1) } },
      accounts: [
        {
          ...{ id: "1", remaining: 100, used: 0, allowance: 100, apps: 0, jobs: 0 },
          lifecycle: { queued: 1, running: 1, unit: "polls" },
          keys: [{ id: "key_1", masked: "ss_live_***", revoked: false }],
        },
      ],
      ...{ jobs: [], jobCount: 0, ledger: [], faults: [], requests: { total: 0, kept: 0, open: 0 } },
    },
  });
});

test("shows jobs, ledger and requests of all accounts, the newest first", async () => {
  const { mock, state, createJob } = await servedPage();
  await createJob();
  await asking(mock.account()).createJob({ device: "ipad-pro", count: 2 });
  await createJob();

  const { jobs, jobCount, ledger, requests, accounts } = await state();

  expect(jobs.map((job: { id: string; account: string }) => [job.id, job.account])).toEqual([
    ["job_2", "1"],
    ["job_2_1", "2"],
    ["job_1", "1"],
  ]);
  expect(jobs[1]).toEqual({
    ...{ id: "job_2_1", account: "2", appId: "app_2_1", keyId: "key_2_1", device: "ipad-pro", count: 2 },
    ...{ status: "queued", polls: 0, acceptedAt: mock.clock.now(), endedAt: null },
    lifecycle: { queued: 1, running: 1, unit: "polls" },
  });
  expect(ledger.map((row: { jobId: string }) => row.jobId)).toEqual(["job_2", "job_2_1", "job_1"]);
  expect(ledger[0]).toEqual({
    ...{ account: "1", time: mock.clock.now(), amount: -10, jobId: "job_2", keyId: "key_1" },
  });
  expect([jobCount, requests]).toEqual([3, { total: 6, kept: 6, open: 0 }]);
  expect(accounts.map(({ apps, jobs: count, used }: Record<string, number>) => [apps, count, used])).toEqual([
    [2, 2, 20],
    [1, 1, 10],
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

test("moves jobs by hand, and looks at them without polling", async () => {
  const { mock, ask, createJob } = await servedPage({ lifecycle: "manual" });
  await createJob();
  await createJob();

  expect((await ask("POST", "jobs/job_1/advance")).body).toMatchObject({ status: "running", result: null });
  expect((await ask("POST", "jobs/job_1/succeed", { body: "" })).body).toMatchObject({
    ...{ status: "succeeded", polls: 0, endedAt: mock.clock.now(), error: null, guesses: ["slide"] },
    result: { device: "iphone-69", slides: [{ index: 0 }, { index: 1 }, { index: 2 }] },
  });
  expect(await ask("POST", "jobs/job_1/fail")).toMatchObject({
    status: 409,
    body: { error: { code: "job_ended" } },
  });
  const failed = await ask("POST", "jobs/job_2/fail", { body: { error: { reason: "so" } } });
  expect(failed.body).toMatchObject({ status: "failed", error: { reason: "so" }, result: null, guesses: [] });
  expect((await ask("GET", "jobs/job_2")).body).toEqual(failed.body);
  expect(mock.jobs.get("job_2")).toMatchObject({ status: "failed", error: { reason: "so" } });
});

test("decides an account's next job, credits and lifecycle, the last until a reset", async () => {
  const { mock, ask, createJob, look } = await servedPage();
  const plan = { outcome: "succeeded", lifecycle: "instant", slides: [{ caption: "Mine" }] };

  expect((await ask("POST", "accounts/1/next-job", { body: plan })).status).toBe(204);
  await createJob();
  expect((await look("job_1")).body.result.slides).toEqual([{ caption: "Mine" }]);
  expect((await ask("GET", "jobs/job_1")).body.guesses).toEqual([]);

  const change = { remaining: 10, lifecycle: "instant" };
  expect((await ask("PATCH", "accounts/1", { body: change })).body).toMatchObject(change);
  expect((await ask("PATCH", "accounts/1", { body: { remaining: 10 } })).body).toMatchObject(change);
  await createJob();
  expect((await look("job_2")).body.status).toBe("succeeded");
  expect(mock.credits.remaining).toBe(0);

  expect((await ask("POST", "reset")).status).toBe(204);
  await createJob();
  expect((await look("job_1")).body.status).toBe("queued");
});

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

test("arms faults, counts them down as they are met, arms them again as it shows them, and disarms them", async () => {
  const { ask, look, state, createApp } = await servedPage();
  const fault = { status: 503, body: { oh: "no" }, headers: { "x-a": "b" }, retryAfter: 2 };

  const armed = await ask("POST", "faults", { body: { fault, operation: "getJob", times: 2, skip: 1 } });
  expect(armed).toMatchObject({
    status: 201,
    body: { id: "fault_1", fault, operation: "getJob", times: 2, skip: 1, when: "before" },
  });
  await ask("POST", "faults", {
    body: { fault: "hang", times: null, when: "after", operation: "createApp" },
  });
  await ask("POST", "faults", { body: { fault: { latencyMs: 5 }, times: null } });
  expect([(await look("job_1")).status, (await look("job_1")).status]).toEqual([404, 503]);

  const { faults } = await state();
  expect(faults).toMatchObject([
    { id: "fault_1", times: 1, skip: 0 },
    { id: "fault_2", times: null, operation: "createApp", when: "after" },
    { id: "fault_3", times: null, operation: null },
  ]);
  const { id: _, ...again } = faults[2];
  expect(await ask("POST", "faults", { body: again })).toMatchObject({ status: 201, body: again });
  expect((await ask("DELETE", "faults/fault_2")).status).toBe(204);
  expect((await ask("DELETE", "faults/fault_2")).status).toBe(404);
  expect(await createApp()).toBe("app_1");
  expect((await ask("DELETE", "faults")).status).toBe(204);
  expect((await state()).faults).toEqual([]);
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
  await vi.waitFor(async () => expect((await state()).requests.open).toBe(2), patient);
  expect((await ask("POST", "accounts/2/reset")).status).toBe(204);
  expect(await state()).toMatchObject({ faults: [], jobCount: 1, requests: { total: 6, kept: 4, open: 1 } });
  expect((await ask("GET", "requests")).body.requests).toHaveLength(4);
  expect((await ask("POST", "accounts/1/reset")).status).toBe(204);
  expect(await state()).toMatchObject({ jobCount: 0, accounts: [{ remaining: 100 }, { id: "2" }] });
  expect(await createJob()).toBe("job_1");
  expect((await ask("POST", "faults", { body: { fault: "hang", account: "3" } })).status).toBe(404);
});

test("plans a set as a client with the account's key would, and passes a refusal on", async () => {
  requireIdempotencyKey("idempotency-key");
  onTestFinished(() => requireIdempotencyKey(undefined));
  const { ask, mock, state } = await servedPage({ allowance: 15 });
  const body = { iosUrl: "https://apps.apple.com/app/id1", device: "ipad-pro", count: 2 };

  expect(await ask("POST", "accounts/1/sets", { body })).toMatchObject({
    ...{ status: 201, body: { id: "job_1", device: "ipad-pro", count: 2, status: "queued" } },
  });
  expect(mock.requests().map(({ operation, keyId }) => [operation, keyId])).toEqual([
    ["createApp", "key_1"],
    ["createScreenshots", "key_1"],
  ]);
  const refused = await ask("POST", "accounts/1/sets", { body });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  expect(refused.body.error.message).toMatch(/answered 402.*credits/);
  expect((await state()).jobCount).toBe(1);
});

test("moves the clock", async () => {
  const { mock, ask } = await servedPage();

  const { body } = await ask("POST", "clock", { body: { advanceMs: 90_000 } });

  expect(body).toEqual({ kind: "virtual", now: Date.UTC(2026, 0, 1, 0, 1, 30) });
  expect(mock.clock.now()).toBe(body.now);
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
    return `${body.requests.map(({ id }: { id: number }) => id)} of ${body.matching} of ${body.total}`;
  };

  expect(await ids("")).toBe("5,4,3,2,1 of 5 of 5");
  expect(await ids("limit=2")).toBe("5,4 of 5 of 5");
  expect(await ids("limit=2&before=4")).toBe("3,2 of 5 of 5");
  expect(await ids("operation=getJob")).toBe("5,3 of 2 of 5");
  expect(await ids("operation=none")).toBe("4 of 1 of 5");
  expect(await ids("status=4xx")).toBe("4,3 of 2 of 5");
  expect(await ids("status=201")).toBe("2 of 1 of 5");
  expect(await ids("status=none")).toBe("5 of 1 of 5");
  expect(await ids("search=IPHONE-69")).toBe("2 of 1 of 5");
  expect(await ids("search=job_&status=404&operation=getJob")).toBe("3 of 1 of 5");
  const row = {
    ...{ id: 2, operation: "createScreenshots", time: mock.clock.now(), method: "POST" },
    ...{ path: "/public/v1/screenshots", key: "ss_live_***", keyId: "key_1", account: "1" },
    ...{ status: 201, durationMs: 0, credits: 10, guesses: [], hasBody: true },
  };
  expect((await ask("GET", "requests?search=iphone")).body.requests).toEqual([row]);
  const body = { appId: "app_1", device: "iphone-69", count: 3 };
  expect((await ask("GET", "requests/2")).body).toEqual({
    ...{ ...row, body, responseHeaders: { "content-type": "application/json" } },
    responseBody: { jobId: "job_1", credits: { cost: 10, remaining: 90 } },
  });
  expect((await ask("GET", "requests?status=none")).body.requests[0]).toMatchObject({
    ...{ status: null, hasBody: false, guesses: [] },
  });
});

test("keeps the newest 10,000 requests, with their numbers", async () => {
  const { mock, ask } = await servedPage();
  const { baseUrl } = mock.clientOptions;
  for (let index = 1; index <= 10_003; index++) await mock.fetch(`${baseUrl}/${index}`);

  const { body } = await ask("GET", "requests?before=10&limit=10");

  expect(body).toMatchObject({ total: 10_003, kept: 10_000, matching: 10_000 });
  expect(body.requests.map(({ id }: { id: number }) => id)).toEqual([9, 8, 7, 6, 5, 4]);
  expect((await ask("GET", "requests/3")).status).toBe(404);
  expect((await ask("GET", "requests/4")).body).toMatchObject({ id: 4, path: "/4" });
  const paths = mock.requests().map(({ path }) => path);
  expect([paths.length, paths[0], paths.at(-1)]).toEqual([10_000, "/4", "/10003"]);
});

test("counts requests that are being worked on until they are answered or given up, and forgets them with a reset", async () => {
  const { mock, state, look } = await servedPage();
  const controller = new AbortController();
  mock.fault("hang", { times: 2 });
  const given = look("job_1", { signal: controller.signal }).catch(() => "given up");
  await vi.waitFor(async () => expect((await state()).requests.open).toBe(1), patient);

  controller.abort();

  expect(await given).toBe("given up");
  await vi.waitFor(async () => expect((await state()).requests.open).toBe(0), patient);
  look("job_1").catch(() => {});
  await vi.waitFor(async () => expect((await state()).requests.open).toBe(1), patient);
  mock.reset();
  expect((await state()).requests).toEqual({ total: 0, kept: 0, open: 0 });
});

test("resets: another epoch, the first account alone", async () => {
  const { ask, state, createJob, mock } = await servedPage();
  mock.account();
  await createJob();
  const before = await state();

  await ask("POST", "reset");

  const after = await state();
  expect(after.epoch).not.toBe(before.epoch);
  expect(after).toEqual({
    ...before,
    epoch: after.epoch,
    accounts: [expect.objectContaining({ id: "1", used: 0 })],
    ...{ jobs: [], jobCount: 0, ledger: [], requests: { total: 0, kept: 0, open: 0 } },
  });
  expect((await ask("POST", "accounts")).body.id).toBe("2");
});

const refusals = { 400: "invalid_request", 404: "not_found", 405: "method_not_allowed" };

test.each<[method: string, path: string, status: keyof typeof refusals, body?: unknown, named?: string]>([
  ["POST", "accounts/1/next-job", 400, {}, "outcome"],
  ["POST", "accounts/1/next-job", 400, { outcome: "succeeded", slide: [] }, "slide"],
  ["POST", "faults", 400, { fault: "explode" }, "fault"],
  ["POST", "faults", 400, { fault: { latencyMs: 3, retryAfter: 3 } }, "status"],
  ["POST", "faults", 400, { fault: "reset", operation: "getjob" }, "operation"],
  ["POST", "faults", 400, { fault: "hang", times: 0 }, "times"],
  ["POST", "clock", 400, { advanceMs: -1 }, "advanceMs"],
  ["POST", "clock", 400, { advanceMs: 1e300 }, "no date"],
  ["POST", "clock", 400, "[]"],
  ["POST", "clock", 400, "{", "JSON"],
  ["POST", "reset", 400, { all: true }, "all"],
  ["PATCH", "accounts/1", 400, { remaining: 1.5 }, "remaining"],
  [
    ...(["PATCH", "accounts/1", 400] as const),
    { remaining: 5, lifecycle: { queued: -1, running: 0, unit: "ms" } },
    "lifecycle",
  ],
  ["POST", "accounts", 400, { apiKey: "a b" }, "apiKey"],
  ["GET", "jobs?limit=0", 400],
  ["GET", "jobs?status=done", 400],
  ["GET", "jobs?page=2", 400],
  ["GET", "requests?status=5x", 400],
  ["GET", "requests?operation=drop", 400],
  ["GET", "requests?before=-1", 400],
  ["GET", "", 404],
  ["GET", "jobs/job_1", 404],
  ["GET", "jobs/%", 404],
  ["GET", "jobs?before=job_1", 404],
  ["GET", "requests/x", 404],
  ["POST", "jobs/job_1/advance", 404],
  ["POST", "jobs/job_1/explode", 404],
  ["PATCH", "accounts/2", 404],
  ["PUT", "state", 405, undefined, "GET, HEAD"],
  ["POST", "events", 405, undefined, "GET, HEAD"],
  ["GET", "reset", 405, undefined, "POST"],
  ["PUT", "faults", 405, undefined, "POST, DELETE"],
])(
  "refuses %s %s with %i, says why, and changes nothing: %j",
  async (method, path, code, body, named = "") => {
    const { ask, state } = await servedPage();
    const before = await state();

    const { status, headers, body: answer } = await ask(method, path, { body });

    expect([status, answer.error.code]).toEqual([code, refusals[code]]);
    expect(answer.error.message).toContain(named);
    expect(headers.allow).toBe(code === 405 ? named : undefined);
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

  for (const body of ["{}", "x".repeat(2 ** 21)]) {
    expect(await ask("POST", "reset", { body, headers: text })).toMatchObject({
      ...{ status: 415, body: { error: { code: "not_json" } } },
    });
  }
  const large = { body: JSON.stringify({ outcome: "succeeded", slides: ["x".repeat(2 ** 20)] }) };
  expect(await ask("POST", "accounts/1/next-job", large)).toMatchObject({
    ...{ status: 413, body: { error: { code: "too_large" } } },
  });
  const charset = { "content-type": "Application/JSON; charset=utf-8" };
  expect((await ask("POST", "reset", { headers: charset })).status).toBe(204);
  const browser = { "sec-fetch-site": "same-origin", "x-mock-token": (await state()).token };
  expect((await send("POST", "/_mock/reset")).status).toBe(204);
  expect((await send("POST", "/_mock/reset", browser)).status).toBe(415);
});

test("says why a job cannot be shown whose slides a test of one's own fails to make", async () => {
  const slide = () => {
    throw new Error("no slides today");
  };
  const { ask, createJob, state } = await servedPage({ lifecycle: "instant", undocumented: { slide } });
  await createJob();

  expect(await ask("GET", "jobs/job_1")).toMatchObject({
    ...{ status: 400, body: { error: { code: "invalid_request", message: "no slides today" } } },
  });
  expect((await state()).jobs[0].status).toBe("succeeded");
});

test("is no poll, no row of the journal, and no charge", async () => {
  const { mock, ask, createJob } = await servedPage();
  await createJob();

  for (const path of ["state", "jobs", "jobs/job_1", "requests", "requests/1", "openapi.json"]) {
    await ask("GET", path).catch(() => {});
  }

  expect(mock.requests()).toHaveLength(2);
  expect(mock.jobs.get("job_1").status).toBe("queued");
  expect((await ask("GET", "jobs/job_1")).body.polls).toBe(0);
});
