import { ScreenshotSets } from "screenshot-sets";
import { createMock, type MockOptions, type Undocumented } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { asking } from "./ask.js";

/** One request for each guess, in this order: no app, a body without sense, no job, too few credits, slides. */
async function leanOnEveryGuess(options: MockOptions) {
  const mock = createMock({ allowance: 10, lifecycle: "instant", ...options });
  const { createSet, createApp, createJob, ask, look } = asking(mock);
  await createJob();
  const attempts = [
    () => createSet("app_99"),
    () => ask("/public/v1/apps", {}),
    () => look("job_99"),
    async () => createSet(await createApp()),
    () => look("job_1"),
  ];
  const answers = [];
  for (const attempt of attempts) answers.push(await attempt().catch((error: Error) => error));
  return { mock, answers };
}

test("marks in the journal which guesses an answer rests on", async () => {
  const { mock } = await leanOnEveryGuess({});

  const guesses = mock.requests().map(({ operation, status, guesses }) => [operation, status, guesses]);

  expect(guesses).toEqual([
    ["createApp", 200, []],
    ["createScreenshots", 201, []],
    ["createScreenshots", 404, ["status.notFound", "errorBody"]],
    ["createApp", 400, ["status.invalidRequest", "errorBody"]],
    ["getJob", 404, ["status.notFound", "errorBody"]],
    ["createApp", 200, []],
    ["createScreenshots", 402, ["status.insufficientCredits", "errorBody"]],
    ["getJob", 200, ["slide"]],
  ]);
});

test("replaces every guess by what it is given", async () => {
  const { answers } = await leanOnEveryGuess({
    undocumented: {
      errorBody: ({ status, code, message, operation }) => ({
        status,
        code,
        about: operation,
        text: message.length > 0,
      }),
      status: { insufficientCredits: 403, invalidRequest: 422, notFound: 410 },
      slide: ({ index, count, device, jobId, appId }) => [index, count, device, jobId, appId],
    },
  });

  const slides = [0, 1, 2].map((index) => [index, 3, "iphone-69", "job_1", "app_1"]);
  expect(answers).toMatchObject([
    { status: 410, body: { status: 410, code: "not_found", about: "createScreenshots", text: true } },
    { status: 422, body: { code: "invalid_request", about: "createApp" } },
    { status: 410, body: { code: "not_found", about: "getJob" } },
    { status: 403, body: { code: "insufficient_credits" } },
    { status: 200, body: { result: { slides } } },
  ]);
});

test("asks for the body of every error, with its status, a code and words of its own", async () => {
  const told: unknown[][] = [];
  const errorBody: Undocumented["errorBody"] = ({ status, code, message, operation }) =>
    told.push([status, code, operation, message]);
  const { mock } = await leanOnEveryGuess({ undocumented: { errorBody } });
  const { ask, look } = asking(mock);
  await look("job_1", { headers: {} });
  await look("job_1", { headers: { "x-api-key": "wrong" } });
  await ask("/public/v1/nothing");

  expect(told).toEqual([
    [404, "not_found", "createScreenshots", "The account has no such app."],
    [400, "invalid_request", "createApp", "Expected iosUrl, androidUrl or both"],
    [404, "not_found", "getJob", "The account has no such job."],
    [402, "insufficient_credits", "createScreenshots", expect.stringContaining("10 credits")],
    [401, "unauthorized", "getJob", expect.stringMatching(/missing.*authorization.*x-api-key/i)],
    [401, "unauthorized", "getJob", expect.stringContaining("invalid")],
    [404, "not_found", undefined, "There is nothing at this path."],
  ]);
});

test("shows the same slides at every look, whatever makes them", async () => {
  const slide = () => ({ id: Math.random() });
  const { createJob, look } = asking(createMock({ lifecycle: "instant", undocumented: { slide } }));
  const jobId = await createJob();

  expect((await look(jobId)).body).toEqual((await look(jobId)).body);
});

test("keeps the other guesses where only one is replaced", async () => {
  const { answers } = await leanOnEveryGuess({ undocumented: { status: { notFound: 410 } } });

  expect(answers).toMatchObject([{ status: 410 }, { status: 400 }, { status: 410 }, { status: 402 }, {}]);
});

test("rejects in a strict mock instead of guessing, naming the guess", async () => {
  const { answers } = await leanOnEveryGuess({ strict: true });

  expect(answers.map((error) => (error as Error).message)).toEqual([
    expect.stringContaining("`status.notFound` and `errorBody`"),
    expect.stringContaining("`status.invalidRequest` and `errorBody`"),
    expect.stringContaining("getJob: the mock would have to fill in `status.notFound`"),
    expect.stringContaining("`status.insufficientCredits` and `errorBody`"),
    expect.stringContaining("`slide`"),
  ]);
  for (const error of answers) {
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "UndocumentedError", guesses: expect.any(Array) });
    expect(error).not.toHaveProperty("code");
    expect(error).not.toBeInstanceOf(TypeError);
  }
});

test("rejects from `handle` too, and notes the guess and no status", async () => {
  const mock = createMock({ strict: true });
  const { apiKey, baseUrl } = mock.clientOptions;
  const request = new Request(`${baseUrl}/public/v1/jobs/job_9`, { headers: { "x-api-key": apiKey } });

  await expect(mock.handle(request)).rejects.toThrow("status.notFound");

  expect(mock.requests()).toMatchObject([{ status: undefined, guesses: ["status.notFound", "errorBody"] }]);
});

test("gives guesses that were configured in a strict mock too, and names the one that was not", async () => {
  const errorBody = () => ({});
  const { answers: some } = await leanOnEveryGuess({
    strict: true,
    undocumented: { status: { notFound: 404 } },
  });
  const { answers: all } = await leanOnEveryGuess({
    strict: true,
    undocumented: {
      errorBody,
      slide: () => ({}),
      status: { notFound: 404, invalidRequest: 400, insufficientCredits: 402 },
    },
  });

  expect((some[0] as Error).message).toMatch(/fill in `errorBody`,/);
  expect(all).toMatchObject([
    { status: 404 },
    { status: 400 },
    { status: 404 },
    { status: 402 },
    { status: 200 },
  ]);
});

test("never rejects a 401 in a strict mock, nor an answer without a guess", async () => {
  const mock = createMock({ strict: true, lifecycle: "instant" });
  const { createJob, look } = asking(mock);
  mock.nextJob({ outcome: "succeeded", slides: [{ given: true }] });
  mock.nextJob({ outcome: "failed" });
  const [succeeded, failed] = [await createJob(), await createJob()];

  expect((await look(succeeded, { headers: {} })).status).toBe(401);
  expect((await look(succeeded, { headers: { "x-api-key": "wrong" } })).status).toBe(401);
  expect((await look(succeeded)).body.result.slides).toEqual([{ given: true }]);
  expect((await look(failed)).body.status).toBe("failed");
  expect(mock.requests().map(({ guesses }) => guesses)).toEqual([
    [],
    [],
    [],
    [],
    ["errorBody"],
    ["errorBody"],
    [],
    [],
  ]);
});

test("gives in a strict mock the faults that a test orders", async () => {
  const mock = createMock({ strict: true, lifecycle: "instant" });
  const { createJob, look, send } = asking(mock);
  const jobId = await createJob();
  mock.fault({ status: 503 });
  mock.fault({ status: 500 }, { when: "after" });
  mock.fault("malformed");

  const statuses = [(await look(jobId)).status, (await look(jobId)).status];
  const malformed = await send(`/public/v1/jobs/${jobId}`);

  expect([...statuses, malformed.status]).toEqual([503, 500, 200]);
});

test("counts the cost of an app for a guess only above 0, and refunds only once there is one", async () => {
  const options = { undocumented: { appCost: 2, refundFailedJobs: true }, lifecycle: "instant" } as const;
  const mock = createMock({ ...options, strict: true });
  const { createJob, look } = asking(mock);
  mock.nextJob({ outcome: "failed" });
  mock.nextJob({ outcome: "succeeded", slides: [] });

  await look(await createJob());
  await look(await createJob());

  expect(mock.requests().map(({ operation, guesses, credits }) => [operation, guesses, credits])).toEqual([
    ["createApp", ["appCost"], 2],
    ["createScreenshots", [], 10],
    ["getJob", ["refundFailedJobs"], 0],
    ["createApp", ["appCost"], 2],
    ["createScreenshots", ["refundFailedJobs"], 10],
    ["getJob", [], 0],
  ]);
});

test("is not asked again by the client when a strict mock rejects", async () => {
  const mock = createMock({ strict: true, lifecycle: "instant" });
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  const { jobId } = await client.screenshots.create({ appId, device: "iphone-69" });

  const read = await rejection(client.jobs.get(jobId));
  const wait = await rejection(client.waitForJob(jobId));
  const create = await rejection(client.screenshots.create({ appId: "app_99", device: "iphone-69" }));

  expect(read.cause?.message ?? read.message).toContain("`slide`");
  expect(wait.cause?.message ?? wait.message).toContain("`slide`");
  expect(create.cause?.message ?? create.message).toContain("`status.notFound`");
  expect(mock.requests()).toHaveLength(5);
});

test("a strict mock names a guess for a path that is no operation's too", async () => {
  const mock = createMock({ strict: true });
  const error = await rejection(asking(mock).ask("/public/v1/nothing"));
  expect(error.message).toMatch(
    /^Failed to answer a request: the mock would have to fill in `status.notFound`/,
  );
});

test("gives back the credits of jobs that failed, and of no others", async () => {
  const mock = createMock({ lifecycle: "instant", undocumented: { refundFailedJobs: true } });
  const { createJob, look } = asking(mock);
  mock.nextJob({ outcome: "failed" });
  for (const jobId of [await createJob(), await createJob()]) await look(jobId);
  expect(mock.credits.remaining).toBe(90);
  expect(mock.credits.ledger().map(({ amount, jobId }) => [amount, jobId])).toEqual([
    [-10, "job_1"],
    [10, "job_1"],
    [-10, "job_2"],
  ]);
});
