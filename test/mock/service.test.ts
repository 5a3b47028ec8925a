import { expect, test } from "vitest";
import { createApp, createScreenshots, getJob } from "../../src/generated/operations.js";
import { parse } from "../../src/schema/parse.js";
import { openMock } from "./ask.js";

test("answers as the document describes, from a store URL to the slides", async () => {
  const { mock, ask, look, listing } = openMock();

  const app = await ask("/public/v1/apps", listing);
  const { appId } = app.body;
  const set = await ask("/public/v1/screenshots", { appId, device: "ipad-pro", count: 2 });
  const looks = [await look("job_1"), await look("job_1"), await look("job_1")];

  expect([app.status, set.status, ...looks.map(({ status }) => status)]).toEqual([200, 201, 200, 200, 200]);
  expect(app.body).toEqual({
    appId: "app_1",
    name: "Mock app_1",
    category: "Utilities",
    artworkUrl: "https://api.screenshot-sets.test/api/v1/artwork/app_1.png",
  });
  expect(set.body).toEqual({ jobId: "job_1", credits: { cost: 10, remaining: 90 } });
  const slides = [
    { index: 0, caption: "Slide 1 of 2" },
    { index: 1, caption: "Slide 2 of 2" },
  ];
  expect(looks.map(({ body }) => body)).toEqual([
    { id: "job_1", status: "queued", result: null, error: null },
    { id: "job_1", status: "running", result: null, error: null },
    { id: "job_1", status: "succeeded", result: { device: "ipad-pro", slides }, error: null },
  ]);
  expect(parse(createApp.answer, app.body)).toMatchObject({ ok: true });
  expect(parse(createScreenshots.answer, set.body)).toMatchObject({ ok: true });
  for (const { body } of looks) expect(parse(getJob.answer, body)).toMatchObject({ ok: true });
  for (const { responseHeaders } of mock.requests()) {
    expect(responseHeaders).toEqual({ "content-type": "application/json" });
  }
});

const set = { appId: "app_1", device: "iphone-69", count: 5 };

test.each<[string, status: number, path: string, body: unknown]>([
  ["no store URL", 400, "apps", { extraContext: "calm" }],
  ["a Google Play URL alone", 200, "apps", { androidUrl: "https://a" }],
  ["no object", 400, "apps", "a string"],
  ["a missing device", 400, "screenshots", { ...set, device: undefined }],
  ["a count of 11", 400, "screenshots", { ...set, count: 11 }],
  ["any caption style", 201, "screenshots", { ...set, captionStyle: "a voice of its own" }],
  ["any narrative", 201, "screenshots", { ...set, narrativeId: "a-slug-of-its-own" }],
])("checks requests against the document: %s is answered with %i", async (_, status, path, body) => {
  const { mock, ask, createApp } = openMock();
  await createApp();

  const answer = await ask(`/public/v1/${path}`, body);

  expect(answer.status).toBe(status);
  if (status !== 400) return;
  expect(answer.body.error.message).toMatch(/Expected/);
  expect(mock.credits.ledger()).toEqual([]);
});

test.each(["{", ""])("refuses the body %j", async (body) => {
  expect(await openMock().ask("/public/v1/apps", {}, { body })).toMatchObject({ status: 400 });
});

test.each([
  ["GET", "/public/v1/apps"],
  ["DELETE", "/public/v1/jobs/job_1"],
  ["GET", "/public/v1/jobs/job_1/slides"],
  ["GET", "/public/v1/jobs/%E0%A4%A"],
  ["GET", "/"],
])("finds nothing at %s %s", async (method, path) => {
  const { ask, createJob } = openMock();
  await createJob();

  expect(await ask(path, undefined, { method })).toMatchObject({ status: 404 });
});

test("plans the document's default number of slides for a narrative", async () => {
  const { createJob, look } = openMock({ lifecycle: "instant" });

  const jobId = await createJob({ count: 2, narrativeId: "from-chaos-to-calm" });

  expect((await look(jobId)).body.result.slides).toHaveLength(5);
});

test("answers at a base URL of one's own, whose last slash is left out", async () => {
  const { mock, createApp } = openMock({ baseUrl: "http://localhost:4010/api/v1/" });

  expect(mock.clientOptions.baseUrl).toBe("http://localhost:4010/api/v1");
  expect(await createApp()).toBe("app_1");
});
