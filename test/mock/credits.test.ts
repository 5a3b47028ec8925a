import { expect, test } from "vitest";
import { day, minute, openMock, start } from "./ask.js";

// What any sequence of steps comes to, `model.test.ts` holds.

test("accepts one of two sets that race for the last 10 credits with different keys", async () => {
  const { mock, createApp, createSet } = openMock({ allowance: 10 });
  const appId = await createApp();
  const keys = [mock.clientOptions.apiKey, mock.keys.create()];

  const answers = await Promise.all(
    keys.map((key) => createSet(appId, {}, { headers: { "x-api-key": key } })),
  );

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 402]);
  expect(mock.credits.ledger()).toHaveLength(1);
});

test("returns the allowance at 00:00 UTC on the first of a month, also if it was set and nobody looked", async () => {
  const { mock, createJob } = openMock();
  await createJob();
  const seen = () => [mock.credits.remaining, mock.credits.used, mock.credits.ledger().length];

  await mock.clock.advance(31 * day - 1);
  expect(seen()).toEqual([90, 10, 1]);
  await mock.clock.advance(1);
  mock.credits.set(3);
  expect(seen()).toEqual([3, 0, 1]);
  await mock.clock.advance(400 * day);
  await createJob();
  expect(seen()).toEqual([90, 10, 2]);
});

test("refunds jobs when they fail, in that order, with a row for each", async () => {
  const { mock, createApp, createSet } = openMock({ undocumented: { refundFailedJobs: true } });
  const appId = await createApp();
  for (const running of [2, 0, 1]) {
    const lifecycle = { queued: minute, running: running * minute, unit: "ms" } as const;
    mock.nextJob({ outcome: "failed", lifecycle });
    await createSet(appId);
  }

  await mock.clock.advance(minute - 1);
  expect(mock.credits.remaining).toBe(70);
  await mock.clock.advance(day);

  expect(mock.credits.ledger().slice(3)).toEqual([
    { time: start + minute, amount: 10, jobId: "job_2", keyId: "key_1" },
    { time: start + 2 * minute, amount: 10, jobId: "job_3", keyId: "key_1" },
    { time: start + 3 * minute, amount: 10, jobId: "job_1", keyId: "key_1" },
  ]);
  expect([mock.credits.remaining, mock.credits.used]).toEqual([100, 0]);
});

test("charges for an app what it is told that one costs", async () => {
  const { mock, ask, listing } = openMock({ allowance: 5, undocumented: { appCost: 3 } });

  const [first, second] = [await ask("/public/v1/apps", listing), await ask("/public/v1/apps", listing)];

  expect([first.status, second.status]).toEqual([200, 402]);
  expect(mock.credits.ledger()).toEqual([{ time: start, amount: -3, jobId: undefined, keyId: "key_1" }]);
});
