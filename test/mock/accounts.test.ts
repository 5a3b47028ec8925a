import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
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
