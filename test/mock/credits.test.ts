import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { asking, day, minute } from "./ask.js";

const start = Date.UTC(2026, 0, 1);

test("charges 10 credits when a set is accepted, with a row in the ledger", async () => {
  const mock = createMock();
  const { createApp, createSet } = asking(mock);
  const appId = await createApp();
  await mock.clock.advance(minute);

  const { body } = await createSet(appId);

  expect(body.credits).toEqual(documentedCredits(10, 90));
  expect([mock.credits.remaining, mock.credits.used]).toEqual([90, 10]);
  expect(mock.credits.ledger()).toEqual([
    { time: start + minute, amount: -10, jobId: "job_1", keyId: "key_1" },
  ]);
});

test("accepts one of two sets that race for the last 10 credits with different keys", async () => {
  const mock = createMock({ allowance: 10 });
  const { createApp, ask } = asking(mock);
  const set = { appId: await createApp(), device: "iphone-69", count: 1 };
  const keys = [mock.clientOptions.apiKey, mock.keys.create()];

  const answers = await Promise.all(
    keys.map((key) => ask("/public/v1/screenshots", set, { headers: { "x-api-key": key } })),
  );

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 402]);
  expect(mock.credits.remaining).toBe(0);
  expect(mock.credits.ledger()).toHaveLength(1);
});

test("refuses a set that costs more than is left, and uses up no id", async () => {
  const mock = createMock({ allowance: 19 });
  const { createApp, createSet } = asking(mock);
  const appId = await createApp();

  await createSet(appId);
  const refused = await createSet(appId);
  mock.credits.set(10);
  const accepted = await createSet(appId);

  expect(refused.status).toBe(402);
  expect(accepted.body.jobId).toBe("job_2");
});

test("sets what is left without a row, leaving what was used alone", async () => {
  const mock = createMock();
  await asking(mock).createJob();

  mock.credits.set(500);

  expect([mock.credits.remaining, mock.credits.used]).toEqual([500, 10]);
  expect(mock.credits.ledger()).toHaveLength(1);
  expect(() => mock.credits.set(-1)).toThrow("`remaining`");
  expect(() => mock.credits.set(0.5)).toThrow("`remaining`");
});

test("returns the allowance at 00:00 UTC on the first of the month, and adds nothing unspent to it", async () => {
  const mock = createMock();
  const { createJob } = asking(mock);
  await createJob();
  const seen = () => [mock.credits.remaining, mock.credits.used, mock.credits.ledger().length];

  await mock.clock.advance(31 * day - 1);
  const before = seen();
  await mock.clock.advance(1);
  const after = seen();

  expect(mock.clock.now()).toBe(Date.UTC(2026, 1, 1));
  expect([before, after]).toEqual([
    [90, 10, 1],
    [100, 0, 1],
  ]);
});

test("returns the allowance also after credits were set and after months went by unseen", async () => {
  const mock = createMock();
  mock.credits.set(3);

  await mock.clock.advance(400 * day);
  await asking(mock).createJob();

  expect([mock.credits.remaining, mock.credits.used]).toEqual([90, 10]);
});

test("refunds no failed job unless told to", async () => {
  const mock = createMock({ lifecycle: "instant" });
  mock.nextJob({ outcome: "failed" });
  await asking(mock).createJob();

  expect([mock.credits.remaining, mock.credits.ledger().length]).toEqual([90, 1]);
});

test("refunds a failed job when it fails, as a row of its own", async () => {
  const mock = createMock({
    lifecycle: { queued: minute, running: minute, unit: "ms" },
    undocumented: { refundFailedJobs: true },
  });
  mock.nextJob({ outcome: "failed" });
  const jobId = await asking(mock).createJob();

  await mock.clock.advance(2 * minute - 1);
  const before = mock.credits.remaining;
  await mock.clock.advance(day);

  expect([before, mock.credits.remaining, mock.credits.used]).toEqual([90, 100, 0]);
  expect(mock.credits.ledger()).toEqual([
    { time: start, amount: -10, jobId, keyId: "key_1" },
    { time: start + 2 * minute, amount: 10, jobId, keyId: "key_1" },
  ]);
});

test("shows the credits after the charge also when the job fails and is refunded at once", async () => {
  const mock = createMock({ lifecycle: "instant", undocumented: { refundFailedJobs: true } });
  const { createApp, createSet } = asking(mock);
  mock.nextJob({ outcome: "failed" });

  const { body } = await createSet(await createApp());

  expect(body.credits).toEqual(documentedCredits(10, 90));
  expect(mock.credits.remaining).toBe(100);
});

test("refunds a job that fails on a poll or by hand once, at that time", async () => {
  const mock = createMock({ undocumented: { refundFailedJobs: true } });
  const { createJob, look } = asking(mock);
  mock.nextJob({ outcome: "failed" });
  const polled = await createJob();
  const byHand = await createJob();

  for (const status of ["queued", "running", "failed", "failed"]) {
    await mock.clock.advance(minute);
    expect((await look(polled)).body.status).toBe(status);
  }
  mock.jobs.fail(byHand);

  expect(mock.credits.ledger().slice(2)).toEqual([
    { time: start + 3 * minute, amount: 10, jobId: polled, keyId: "key_1" },
    { time: start + 4 * minute, amount: 10, jobId: byHand, keyId: "key_1" },
  ]);
  expect(mock.credits.remaining).toBe(100);
});

test("refunds jobs in the order in which they failed, whichever was accepted first", async () => {
  const mock = createMock({ undocumented: { refundFailedJobs: true } });
  const { createApp, createSet } = asking(mock);
  const appId = await createApp();
  for (const queued of [3, 1, 2]) {
    const lifecycle = { queued: queued * minute, running: 0, unit: "ms" } as const;
    mock.nextJob({ outcome: "failed", lifecycle });
    await createSet(appId);
  }

  await mock.clock.advance(day);

  const refunds = mock.credits.ledger().filter(({ amount }) => amount > 0);
  expect(refunds.map(({ jobId, time }) => [jobId, time - start])).toEqual([
    ["job_2", minute],
    ["job_3", 2 * minute],
    ["job_1", 3 * minute],
  ]);
});

test("adds no refund of an earlier month's charge to the new month's allowance", async () => {
  const mock = createMock({ lifecycle: "manual", undocumented: { refundFailedJobs: true } });
  const jobId = await asking(mock).createJob();
  await mock.clock.advance(31 * day);

  mock.jobs.fail(jobId);

  expect([mock.credits.remaining, mock.credits.used]).toEqual([100, 0]);
  expect(mock.credits.ledger()).toMatchObject([{ amount: -10 }, { amount: 10, time: start + 31 * day }]);
});

test("charges for an app what it is told that one costs", async () => {
  const mock = createMock({ allowance: 5, undocumented: { appCost: 3 } });
  const { ask, listing } = asking(mock);

  const [first, second] = [await ask("/public/v1/apps", listing), await ask("/public/v1/apps", listing)];

  expect([first.status, second.status]).toEqual([200, 402]);
  expect(mock.credits.ledger()).toEqual([{ time: start, amount: -3, jobId: undefined, keyId: "key_1" }]);
});

test("hands out copies of the ledger", async () => {
  const mock = createMock();
  await asking(mock).createJob();

  for (const row of mock.credits.ledger()) row.amount = 0;

  expect(mock.credits.ledger()).toMatchObject([{ amount: -10 }]);
});
