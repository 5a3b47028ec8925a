import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking, day, minute } from "./ask.js";

test("goes back to the start: the same steps give the same ids, times, credits and keys", async () => {
  const mock = createMock({ apiKey: "my-own-key" });
  const steps = async () => {
    const { createJob, look } = asking(mock);
    const key = mock.keys.create();
    const account = mock.account();
    mock.nextJob({ outcome: "failed" });
    const jobs = [await createJob(), await asking(account).createJob()];
    await mock.clock.sleep(minute);
    const job = await look("job_1");
    const { now } = mock.clock;
    const { apiKey } = account.clientOptions;
    return { key, apiKey, jobs, job, now: now(), ledger: mock.credits.ledger(), journal: mock.requests() };
  };

  const first = await steps();
  mock.reset();
  const second = await steps();

  expect(second).toEqual(first);
  expect(first.jobs).toEqual(["job_1", "job_2_1"]);
});

test("forgets everything: credits, rows, jobs, plans, faults, journal and time", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const { createJob, look } = asking(mock);
  const jobId = await createJob();
  mock.credits.set(3);
  mock.nextJob({ outcome: "failed" });
  mock.fault({ status: 500 }, { times: Number.POSITIVE_INFINITY });
  await mock.clock.advance(40 * day);

  mock.reset();

  expect([mock.credits.remaining, mock.credits.used]).toEqual([100, 0]);
  expect([mock.credits.ledger(), mock.requests()]).toEqual([[], []]);
  expect(mock.clock.now()).toBe(Date.UTC(2026, 0, 1));
  expect((await look(jobId)).status).toBe(404);
  expect(mock.jobs.get(await createJob()).status).toBe("succeeded");
});

test("makes keys and accounts of before invalid, and a revoked first key valid again", async () => {
  const mock = createMock();
  const key = mock.keys.create();
  const account = mock.account();
  mock.keys.revoke(mock.clientOptions.apiKey);

  mock.reset();

  const status = async (apiKey: string) =>
    (await asking(mock).look("job_1", { headers: { "x-api-key": apiKey } })).status;
  expect(await status(key)).toBe(401);
  expect(await status(account.clientOptions.apiKey)).toBe(401);
  expect(await status(mock.clientOptions.apiKey)).toBe(404);
});

test("wakes nobody who slept before, and lets them be aborted", async () => {
  const mock = createMock();
  const controller = new AbortController();
  let isWoken = false;
  const asleep = mock.clock.sleep(minute, controller.signal).then(() => {
    isWoken = true;
  });

  mock.reset();
  await mock.clock.sleep(2 * minute);
  expect(isWoken).toBe(false);
  controller.abort("enough");

  await expect(asleep).rejects.toBe("enough");
});

test("ends an advance that is under way", async () => {
  const mock = createMock();
  void mock.clock.sleep(minute);
  const advance = mock.clock.advance(day);

  mock.reset();
  await advance;
  await mock.clock.sleep(10);

  expect(mock.clock.now()).toBe(Date.UTC(2026, 0, 1) + 10);
});
