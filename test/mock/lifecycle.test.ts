import type { Lifecycle } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { openMock } from "./ask.js";

const polls = (queued: number, running: number): Lifecycle => ({ queued, running, unit: "polls" });
const times = (queued: number, running: number): Lifecycle => ({ queued, running, unit: "ms" });

test.each<[Lifecycle | undefined, steps: string, seen: string]>([
  [undefined, "0ms poll poll poll poll", "queued queued running succeeded succeeded"],
  [polls(0, 2), "0ms poll poll poll", "running running running succeeded"],
  [polls(0, 0), "0ms poll", "succeeded succeeded"],
  [polls(3, 2), "poll advance poll poll poll", "queued running running running succeeded"],
  [polls(3, 0), "advance", "succeeded"],
  ["instant", "0ms poll", "succeeded succeeded"],
  ["manual", "0ms poll poll poll", "queued queued queued queued"],
  ["manual", "99999ms advance 99999ms advance", "queued running running succeeded"],
  [times(10, 20), "0ms 9ms poll 1ms 19ms 1ms", "queued queued queued running running succeeded"],
  [times(90_000, 10_000), "5000ms advance poll 9999ms 1ms", "queued running running running succeeded"],
])(
  "a job with %j, after %s, is %s, and looks through `mock.jobs` are no polls",
  async (lifecycle, steps, seen) => {
    const { mock, createJob, look } = openMock({ lifecycle });
    const jobId = await createJob();
    const states = seen.split(" ");

    for (const step of steps.split(" ")) {
      const status = states.shift();
      if (step === "poll") expect((await look(jobId)).body.status).toBe(status);
      else if (step === "advance") mock.jobs.advance(jobId);
      else await mock.clock.advance(Number.parseFloat(step));
      expect([mock.jobs.get(jobId).status, mock.jobs.get(jobId).status]).toEqual([status, status]);
    }
  },
);

test("ends a job with the error that is given, with that of its plan or an empty one, or with its slides", async () => {
  const { mock, createJob } = openMock({ lifecycle: "manual" });
  mock.nextJob({ outcome: "failed", error: { reason: "planned" } });
  const [planned, given, bare, succeeded] = ["job_1", "job_2", "job_3", "job_4"] as const;
  for (let job = 0; job < 4; job++) await createJob();

  mock.jobs.advance(planned);
  mock.jobs.advance(planned);
  for (const error of ["text", null, 5] as never[]) {
    expect(() => mock.jobs.fail(given, error)).toThrow(TypeError);
  }
  mock.jobs.fail(given, { reason: "by hand" });
  mock.jobs.fail(bare);
  mock.jobs.succeed(succeeded);

  const failed = { status: "failed", result: null };
  expect(mock.jobs.get(planned)).toMatchObject({ ...failed, error: { reason: "planned" } });
  expect(mock.jobs.get(given)).toMatchObject({ ...failed, error: { reason: "by hand" } });
  expect(mock.jobs.get(bare)).toMatchObject({ ...failed, error: {} });
  expect(mock.jobs.get(succeeded)).toMatchObject({ status: "succeeded", result: { slides: { length: 3 } } });
});

test("never leaves its end, and says so, or that there is no such job", async () => {
  const { mock, createJob } = openMock({ lifecycle: "manual" });
  const jobId = await createJob();
  mock.jobs.succeed(jobId);

  for (const [action, name] of [
    ["fail", "fail"],
    ["succeed", "complete"],
    ["advance", "advance"],
  ] as const) {
    expect(() => mock.jobs[action](jobId)).toThrow(
      `Failed to ${name} the job ${jobId}: it has succeeded already. Please use the "manual" lifecycle`,
    );
    expect(() => mock.jobs[action]("job_9")).toThrow(`Failed to ${name} the job job_9: `);
  }
  expect(() => mock.jobs.get("job_9")).toThrow(/^Failed to find the job job_9: .*no such job.*Please/);
  expect(mock.jobs.get(jobId).status).toBe("succeeded");
});

test("takes refused and faulted reads for no poll, and slow ones for one", async () => {
  const { mock, createJob, look } = openMock();
  const jobId = await createJob();

  await look(jobId, { headers: {} });
  await look(jobId, { headers: { "x-api-key": "wrong" } });
  for (const when of ["before", "after"] as const) {
    for (const fault of [{ status: 503 }, "reset", "malformed", "truncated"] as const) {
      mock.fault(fault, { when });
      await look(jobId).catch(() => undefined);
    }
  }
  mock.fault({ latencyMs: 10 });
  mock.fault({ latencyMs: 10 }, { when: "after" });

  const seen = [await look(jobId), await look(jobId), await look(jobId)];
  expect(seen.map(({ body }) => body.status)).toEqual(["queued", "running", "succeeded"]);
});

test("shares nothing with what it was given, nor with what it shows", async () => {
  const { mock, createJob, look } = openMock({ lifecycle: "manual" });
  const [slide, error, body] = [{ own: true }, { own: true }, { own: true }];
  mock.nextJob({ outcome: "succeeded", slides: [slide], lifecycle: "instant" });
  const [planned, failed] = [await createJob(), await createJob()];
  mock.jobs.fail(failed, error);
  mock.fault({ status: 503, body });

  for (const given of [slide, error, body]) given.own = false;
  (mock.jobs.get(planned).result as { slides: unknown[] }).slides.pop();
  mock.requests()[0]?.guesses.push("slide");
  Object.assign(mock.requests()[0]?.responseHeaders as object, { "content-type": "text/html" });

  expect((await look(planned)).body).toEqual({ own: true });
  expect((await look(planned)).body.result.slides).toEqual([{ own: true }]);
  expect((await look(failed)).body.error).toMatchObject({ own: true });
  const responseHeaders = { "content-type": "application/json" };
  expect(mock.requests()[0]).toMatchObject({ guesses: [], responseHeaders });
});
