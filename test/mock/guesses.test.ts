import { ScreenshotSets } from "screenshot-sets";
import type { MockOptions, Undocumented } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { openMock, planSet } from "./ask.js";

/** One request for each guess, in this order: no app, a body without sense, no job, too few credits, slides. */
async function leanOnEveryGuess(options: MockOptions) {
  const opened = openMock({ allowance: 10, lifecycle: "instant", ...options });
  const { createSet, createApp, createJob, ask, look } = opened;
  await createJob();
  const attempts = [
    () => createSet("app_99"),
    () => ask("/public/v1/apps", {}),
    () => look("job_99"),
    async () => createSet(await createApp()),
    () => look("job_1"),
  ];
  const answers = [];
  for (const attempt of attempts) answers.push(await attempt().catch((error) => error));
  return { ...opened, answers };
}

test("replaces every guess by what it is given, and tells in the journal which an answer rests on", async () => {
  const { mock, answers, ask, look } = await leanOnEveryGuess({
    undocumented: {
      errorBody: ({ status, code, operation, message }) => [status, code, operation, message],
      status: { insufficientCredits: 403, invalidRequest: 422, notFound: 410 },
      slide: ({ index, count, device, jobId, appId }) => [index, count, device, jobId, appId],
    },
  });
  const slides = answers.pop()?.body.result.slides;
  answers.push(await look("job_1", { headers: {} }));
  answers.push(await look("job_1", { headers: { "x-api-key": "wrong" } }));
  answers.push(await ask("/public/v1/nothing"));

  for (const { status, body } of answers) expect(status).toBe(body[0]);
  expect(answers.map(({ body }) => body)).toEqual([
    [410, "not_found", "createScreenshots", "The account has no such app."],
    [422, "invalid_request", "createApp", "Expected iosUrl, androidUrl or both"],
    [410, "not_found", "getJob", "The account has no such job."],
    [403, "insufficient_credits", "createScreenshots", expect.stringContaining("10 credits")],
    [401, "unauthorized", "getJob", expect.stringMatching(/missing.*authorization.*x-api-key/i)],
    [401, "unauthorized", "getJob", expect.stringContaining("invalid")],
    [410, "not_found", null, "There is nothing at this path."],
  ]);
  expect(slides).toEqual([0, 1, 2].map((index) => [index, 3, "iphone-69", "job_1", "app_1"]));
  expect(mock.requests().map(({ guesses }) => guesses.join())).toEqual([
    ...["", "", "status.notFound,errorBody", "status.invalidRequest,errorBody", "status.notFound,errorBody"],
    ...["", "status.insufficientCredits,errorBody", "slide"],
    ...["errorBody", "errorBody", "status.notFound,errorBody"],
  ]);
});

test("shows the same slides at every look, whatever makes them", async () => {
  const slide = () => ({ id: Math.random() });
  const { createJob, look } = openMock({ lifecycle: "instant", undocumented: { slide } });
  const jobId = await createJob();

  expect((await look(jobId)).body).toEqual((await look(jobId)).body);
});

test.each<[Undocumented, outcomes: (number | RegExp)[]]>([
  [
    {},
    [
      /^Failed to answer createScreenshots: the mock would have to fill in `status.notFound` and `errorBody`,/,
      /createApp: .* `status.invalidRequest` and `errorBody`,/,
      /getJob: .* `status.notFound` and `errorBody`,/,
      /createScreenshots: .* `status.insufficientCredits` and `errorBody`,/,
      /getJob: .* `slide`,/,
    ],
  ],
  [
    { status: { notFound: 410 }, slide: () => ({}) },
    [/in `errorBody`,/, /`status.invalidRequest` and/, /in `errorBody`,/, /`status.insuff/, 200],
  ],
])("rejects in a strict mock with %o instead of guessing, naming each guess", async (...row) => {
  const [undocumented, outcomes] = row;
  const { mock, answers } = await leanOnEveryGuess({ strict: true, undocumented });

  for (const [index, { status, message }] of answers.entries()) {
    if (status) expect(status).toBe(outcomes[index]);
    else expect(message).toMatch(outcomes[index] as RegExp);
  }
  expect(answers[0]).toMatchObject({ name: "UndocumentedError", guesses: expect.any(Array) });
  expect(mock.requests()[2]?.status).toBeUndefined();
});

test("gives in a strict mock a 401, the faults that a test orders, and answers without a guess", async () => {
  const { mock, createJob, look, send } = openMock({ strict: true, lifecycle: "instant" });
  mock.nextJob({ outcome: "succeeded", slides: [{ given: true }] });
  mock.nextJob({ outcome: "failed" });
  const [succeeded, failed, filledIn] = [await createJob(), await createJob(), await createJob()];

  expect((await look(succeeded, { headers: {} })).status).toBe(401);
  expect((await look(succeeded, { headers: { "x-api-key": "wrong" } })).status).toBe(401);
  expect((await look(succeeded)).body.result.slides).toEqual([{ given: true }]);
  expect((await look(failed)).body.status).toBe("failed");
  mock.fault({ status: 503 });
  mock.fault({ status: 500 }, { when: "after" });
  mock.fault("malformed");
  expect([(await look(filledIn)).status, (await look(filledIn)).status]).toEqual([503, 500]);
  expect((await send(`/public/v1/jobs/${filledIn}`)).status).toBe(200);
  expect(mock.requests({ operation: "getJob" }).map(({ guesses }) => guesses.join())).toEqual([
    ...["errorBody", "errorBody", "", "", "errorBody", "errorBody", ""],
  ]);
});

test("counts the cost of an app for a guess only above 0, and refunds only once there is one", async () => {
  const undocumented = { appCost: 2, refundFailedJobs: true };
  const { mock, createJob, look } = openMock({ strict: true, lifecycle: "instant", undocumented });
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
  const { mock } = openMock({ strict: true, lifecycle: "instant" });
  const client = new ScreenshotSets(mock.clientOptions);

  for (const [call, guess] of [
    [() => planSet(client), "`slide`"],
    [() => client.jobs.get("job_99"), "`status.notFound`"],
    [() => client.screenshots.create({ appId: "app_99", device: "iphone-69" }), "`status.notFound`"],
  ] as const) {
    const { cause, message } = await rejection(call());
    expect(cause?.message ?? message).toContain(guess);
  }
  expect(mock.requests()).toHaveLength(5);
});
