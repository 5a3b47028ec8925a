import { createMock, type MockAccount } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking, openMock } from "./ask.js";

test("keeps accounts apart: credits, keys, apps, jobs and plans", async () => {
  const { mock, createJob } = openMock({ lifecycle: "instant" });
  const other = mock.account({ allowance: 30 });
  const { createJob: createTheirs, createSet, look } = asking(other);
  other.nextJob({ outcome: "failed" });

  const [own, theirs] = [await createJob(), await createTheirs()];

  expect([mock.credits.remaining, other.credits.remaining]).toEqual([90, 20]);
  expect([mock.jobs.get(own).status, other.jobs.get(theirs).status]).toEqual(["succeeded", "failed"]);
  expect(() => mock.jobs.get(theirs)).toThrow("no such job");
  expect([(await createSet("app_1")).status, (await look(own)).status]).toEqual([404, 404]);
});

test("begins a further account as the first one, but for what is given", async () => {
  const mock = createMock({ allowance: 50, lifecycle: "instant" });
  const other = mock.account();
  const manual = mock.account({ lifecycle: "manual", apiKey: "manual-key" });

  expect(other.credits.remaining).toBe(50);
  expect(other.jobs.get(await asking(other).createJob()).status).toBe("succeeded");
  expect(manual.jobs.get(await asking(manual).createJob()).status).toBe("queued");
  const { baseUrl, clock } = mock.clientOptions;
  expect(manual.clientOptions).toMatchObject({ apiKey: "manual-key", baseUrl, clock });
});

test("refuses an account that is not the mock's, or was one before a reset", () => {
  const mock = createMock();
  const removed = mock.account();
  mock.reset();
  for (const account of [removed, createMock(), {}, null] as MockAccount[]) {
    for (const take of [() => mock.fault("reset", { account }), () => mock.requests({ account })]) {
      expect(take).toThrow("Expected `account` to be one that `mock.account` gave");
    }
  }
});

test("puts a prefix before the ids of apps and jobs of every account, also after a reset", async () => {
  const { mock, createJob, look } = openMock({ idPrefix: "run-7_" });
  const ids = async () => {
    const jobs = [await createJob(), await asking(mock.account()).createJob()];
    const apps = mock.requests({ operation: "createScreenshots" }).map(({ body }) => Object(body).appId);
    return [...jobs, ...apps];
  };

  const first = await ids();
  expect(first).toEqual(["run-7_job_1", "run-7_job_2_1", "run-7_app_1", "run-7_app_2_1"]);
  expect((await look("run-7_job_1")).status).toBe(200);
  expect(mock.requests()[0]?.keyId).toBe("key_1");
  mock.reset();
  expect(await ids()).toEqual(first);
});
