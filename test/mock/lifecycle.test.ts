import type { Lifecycle } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { day, openMock, second } from "./ask.js";

async function startJob(lifecycle?: Lifecycle) {
  const { mock, createJob, look } = openMock(lifecycle && { lifecycle });
  const jobId = await createJob();
  const poll = async () => (await look(jobId)).body.status;
  return { mock, jobId, poll, peek: () => mock.jobs.get(jobId).status };
}

const polls = (queued: number, running: number): Lifecycle => ({ queued, running, unit: "polls" });
const times = (queued: number, running: number): Lifecycle => ({ queued, running, unit: "ms" });

test.each<[Lifecycle | undefined, found: string[]]>([
  [undefined, ["queued", "running", "succeeded", "succeeded"]],
  [polls(0, 2), ["running", "running", "succeeded"]],
  [polls(0, 0), ["succeeded"]],
  ["instant", ["succeeded"]],
  ["manual", ["queued", "queued", "queued", "queued"]],
])(
  "finds a job with %j in these states at each poll, which looks through `mock.jobs` are none: %j",
  async (...row) => {
    const [lifecycle, found] = row;
    const { poll, peek } = await startJob(lifecycle);

    expect([peek(), peek()]).toEqual([found[0], found[0]]);
    for (const status of found) expect([await poll(), peek(), peek()]).toEqual([status, status, status]);
  },
);

test("runs on the mock's clock, however it is looked at", async () => {
  const { mock, poll, peek } = await startJob(times(10 * second, 20 * second));
  const seen: string[] = [];

  for (const ms of [0, 9_999, 1, 19_999, 1]) {
    await mock.clock.advance(ms);
    const status = peek();
    seen.push(status);
    expect(await poll()).toBe(status);
  }

  expect(seen).toEqual(["queued", "queued", "running", "running", "succeeded"]);
});

test.each<[Lifecycle, steps: ("poll" | "advance" | number)[], seen: string[]]>([
  ["manual", [day, "advance", day, "advance"], ["queued", "running", "running", "succeeded"]],
  [
    polls(3, 2),
    ["poll", "advance", "poll", "poll", "poll"],
    ["queued", "running", "running", "running", "succeeded"],
  ],
  [
    times(day, 10 * second),
    [5 * second, "advance", 10 * second - 1, 1],
    ["queued", "running", "running", "succeeded"],
  ],
  [polls(3, 0), ["advance"], ["succeeded"]],
])(
  "moves a job with %j by hand, which then runs for its usual length: %j",
  async (lifecycle, steps, seen) => {
    const { mock, jobId, poll, peek } = await startJob(lifecycle);

    for (const [index, step] of steps.entries()) {
      if (step === "poll") await poll();
      else if (step === "advance") mock.jobs.advance(jobId);
      else await mock.clock.advance(step);
      expect(peek()).toBe(seen[index]);
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
  const { mock, jobId, peek } = await startJob("manual");
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
  expect(peek()).toBe("succeeded");
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
