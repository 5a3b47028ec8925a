import { ScreenshotSets } from "screenshot-sets";
import { createMock, type MockAccount } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking } from "./ask.js";

test("keeps accounts apart: credits, keys, apps, jobs and plans", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const other = mock.account({ allowance: 30 });
  other.nextJob({ outcome: "failed" });

  const jobId = await asking(mock).createJob();
  const otherJobId = await asking(other).createJob();

  expect([mock.credits.remaining, other.credits.remaining]).toEqual([90, 20]);
  expect(mock.clientOptions.apiKey).not.toBe(other.clientOptions.apiKey);
  expect([mock.jobs.get(jobId).status, other.jobs.get(otherJobId).status]).toEqual(["succeeded", "failed"]);
  expect(() => mock.jobs.get(otherJobId)).toThrow("no such job");
});

test("knows no app and no job of another account", async () => {
  const mock = createMock();
  const other = asking(mock.account());
  const appId = await asking(mock).createApp();
  const jobId = await asking(mock).createJob();

  expect(await other.createSet(appId)).toMatchObject({ status: 404 });
  expect(await other.look(jobId)).toMatchObject({ status: 404 });
});

test("begins a further account as the first one, but for what is given", async () => {
  const mock = createMock({ allowance: 50, lifecycle: "instant" });
  const other = mock.account();
  const manual = mock.account({ lifecycle: "manual", apiKey: "manual-key" });

  expect(other.credits.remaining).toBe(50);
  expect(other.jobs.get(await asking(other).createJob()).status).toBe("succeeded");
  expect(manual.jobs.get(await asking(manual).createJob()).status).toBe("queued");
  expect(manual.clientOptions).toMatchObject({ apiKey: "manual-key", baseUrl: mock.clientOptions.baseUrl });
});

test("lets a fault be met by one account alone, the first one included", async () => {
  const mock = createMock();
  const other = mock.account();
  mock.fault({ status: 503 }, { account: other, times: 2, skip: 1 });
  mock.fault({ status: 429 }, { account: mock, operation: "createApp" });
  const statuses = [];
  for (const account of [other, mock, mock, other, other, other]) {
    statuses.push((await asking(account).send("/public/v1/apps", { iosUrl: "https://a" })).status);
  }

  expect(statuses).toEqual([200, 429, 200, 503, 503, 200]);
});

test("refuses an account that is not the mock's, or was one before a reset", () => {
  const mock = createMock();
  const removed = mock.account();
  mock.reset();
  for (const account of [removed, createMock(), {}, null] as MockAccount[]) {
    expect(() => mock.fault("reset", { account })).toThrow(
      "Expected `account` to be one that `mock.account` gave",
    );
    expect(() => mock.requests({ account })).toThrow("Expected `account` to be one that `mock.account` gave");
  }
});

test("puts a prefix before the ids of apps and jobs of every account, also after a reset", async () => {
  const mock = createMock({ idPrefix: "run-7_" });
  const ids = async () => {
    const accounts = [asking(mock), asking(mock.account())];
    const jobs = [];
    for (const { createJob } of accounts) jobs.push(await createJob());
    return [
      ...jobs,
      ...mock
        .requests({ operation: "createScreenshots" })
        .map(({ body }) => (body as { appId: string }).appId),
    ];
  };

  const first = await ids();
  expect(first).toEqual(["run-7_job_1", "run-7_job_2_1", "run-7_app_1", "run-7_app_2_1"]);
  expect((await asking(mock).look("run-7_job_1")).status).toBe(200);
  expect(mock.requests()[0]?.keyId).toBe("key_1");
  mock.reset();
  expect(await ids()).toEqual(first);
});

test.each(["a/b", "a b", "ü", 5])("refuses the prefix %j, which could not stand in a path", (idPrefix) => {
  expect(() => createMock({ idPrefix: idPrefix as never })).toThrow(TypeError);
});

test("shares one clock among accounts", async () => {
  const mock = createMock();
  const other = mock.account();

  await mock.clock.advance(5_000);

  expect(other.clientOptions.clock.now()).toBe(mock.clock.now());
});

test("serves a client of each account", async () => {
  const mock = createMock();
  const accounts = [mock, mock.account(), mock.account()];

  const jobs = await Promise.all(
    accounts.map(async ({ clientOptions }) => {
      const client = new ScreenshotSets(clientOptions);
      const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
      return client.screenshots.createAndWait({ appId, device: "iphone-69" });
    }),
  );

  expect(jobs.map(({ status }) => status)).toEqual(["succeeded", "succeeded", "succeeded"]);
  expect(new Set(jobs.map(({ id }) => id)).size).toBe(3);
  expect(accounts.map(({ credits }) => credits.remaining)).toEqual([90, 90, 90]);
});

test("makes keys of its own, whichever of that form a test has given", () => {
  const mock = createMock({ apiKey: "ss_live_mock0001000000000002" });
  const [second, third] = [mock.account({ apiKey: "ss_live_mock0003000000000001" }), mock.account()];

  const keys = [mock, second, third].map((account) => [account.clientOptions.apiKey, account.keys.create()]);

  expect(new Set(keys.flat()).size).toBe(6);
});
