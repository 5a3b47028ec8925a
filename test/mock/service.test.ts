import { createMock } from "screenshot-sets/mock";
import { describe, expect, test } from "vitest";
import { createApp, createScreenshots, getJob } from "../../src/generated/operations.js";
import { devices } from "../../src/generated/values.js";
import { parse } from "../../src/schema/parse.js";
import { documentedCredits } from "../helpers/documented-credits.js";
import { asking } from "./ask.js";

test("answers as the document describes, from a store URL to the slides", async () => {
  const mock = createMock();
  const { ask, look, listing } = asking(mock);

  const app = await ask("/public/v1/apps", listing);
  const { appId } = app.body;
  const set = await ask("/public/v1/screenshots", { appId, device: "ipad-pro", count: 4 });
  const looks = [await look("job_1"), await look("job_1"), await look("job_1")];

  expect([app.status, set.status, ...looks.map(({ status }) => status)]).toEqual([200, 201, 200, 200, 200]);
  expect(app.body).toEqual({
    appId: "app_1",
    name: "Mock app_1",
    category: "Utilities",
    artworkUrl: "https://api.screenshot-sets.test/api/v1/artwork/app_1.png",
  });
  expect(set.body).toEqual({ jobId: "job_1", credits: documentedCredits(10, 90) });
  expect(looks.map(({ body }) => body.status)).toEqual(["queued", "running", "succeeded"]);
  expect(looks[2]?.body.result).toMatchObject({ device: "ipad-pro", slides: { length: 4 } });
  expect(parse(createApp.answer, app.body)).toMatchObject({ ok: true });
  expect(parse(createScreenshots.answer, set.body)).toMatchObject({ ok: true });
  for (const { body } of looks) expect(parse(getJob.answer, body)).toMatchObject({ ok: true });
});

test("shows `result` only of a succeeded job, and `error` only of a failed one", async () => {
  const mock = createMock({ lifecycle: "instant" });
  const { createJob, look } = asking(mock);
  mock.nextJob({ outcome: "failed", error: { reason: "listing gone" } });

  const failed = await look(await createJob());
  const succeeded = await look(await createJob());

  expect(failed.body).toEqual({
    id: "job_1",
    status: "failed",
    result: null,
    // A document may require more of an error.
    error: expect.objectContaining({ reason: "listing gone" }),
  });
  expect(succeeded.body).toMatchObject({ status: "succeeded", error: null });
  expect(succeeded.body.result.slides).toHaveLength(3);
});

describe("checks requests against the document", () => {
  const set = { appId: "app_1", device: "iphone-69", count: 5 };

  test.each([
    ["no store URL", "apps", { extraContext: "calm" }],
    ["2,001 characters of context", "apps", { iosUrl: "https://a", extraContext: "é".repeat(2_001) }],
    ["a store URL that is no string", "apps", { iosUrl: 1 }],
    ["a body that is no object", "apps", ["https://a"]],
    ["a missing device", "screenshots", { ...set, device: undefined }],
    ["a count of 0", "screenshots", { ...set, count: 0 }],
    ["a count of 11", "screenshots", { ...set, count: 11 }],
    ["a count of 1.5", "screenshots", { ...set, count: 1.5 }],
    ["an unknown device", "screenshots", { ...set, device: "watch" }],
    ["an unknown caption length", "screenshots", { ...set, captionLength: "medium" }],
    ["an empty appId", "screenshots", { ...set, appId: "" }],
  ])("refuses %s", async (_, path, body) => {
    const mock = createMock();
    const { ask, createApp } = asking(mock);
    await createApp();

    const { status, body: answer } = await ask(`/public/v1/${path}`, body);

    expect(status).toBe(400);
    expect(answer.error.message).toMatch(/Expected/);
    expect(mock.credits.ledger()).toEqual([]);
  });

  test.each<[string, string, object]>([
    ["a Google Play URL alone", "apps", { androidUrl: "https://a" }],
    [
      "2,000 characters beyond the basic plane",
      "apps",
      { iosUrl: "https://a", extraContext: "🙂".repeat(2_000) },
    ],
    ["any caption style", "screenshots", { ...set, captionStyle: "a voice of its own" }],
    ["any narrative", "screenshots", { ...set, narrativeId: "a-slug-of-its-own" }],
    ...devices.map((device): [string, string, object] => [device, "screenshots", { ...set, device }]),
  ])("accepts %s", async (_, path, body) => {
    const { ask, createApp } = asking(createMock());
    await createApp();

    const { status } = await ask(`/public/v1/${path}`, body);

    expect(status).toBeLessThan(300);
  });

  test.each(["{", "", '"a string"'])("refuses the body %j", async (body) => {
    const { ask } = asking(createMock());

    expect(await ask("/public/v1/apps", {}, { body })).toMatchObject({ status: 400 });
  });
});

test.each([
  ["GET", "/public/v1/apps"],
  ["DELETE", "/public/v1/jobs/job_1"],
  ["GET", "/public/v1/jobs/job_1/slides"],
  ["GET", "/public/v1/jobs/"],
  ["GET", "/public/v1/jobs/%E0%A4%A"],
  ["GET", "/public/v2/jobs/job_1"],
  ["GET", "/"],
])("finds nothing at %s %s", async (method, path) => {
  const { ask, createJob } = asking(createMock());
  await createJob();

  expect(await ask(path, undefined, { method })).toMatchObject({ status: 404 });
});

test("plans the document's default number of slides for a narrative", async () => {
  const { createJob, look } = asking(createMock({ lifecycle: "instant" }));

  const jobId = await createJob({ count: 2, narrativeId: "from-chaos-to-calm" });

  expect((await look(jobId)).body.result.slides).toHaveLength(5);
});

test("answers at a base URL of one's own, with or without its trailing slash", async () => {
  for (const baseUrl of ["http://localhost:4010/api/v1", "http://localhost:4010/api/v1/"]) {
    const mock = createMock({ baseUrl });
    const { createApp } = asking(mock);

    expect(mock.clientOptions.baseUrl).toBe("http://localhost:4010/api/v1");
    expect(await createApp()).toBe("app_1");
  }
});

test.each([
  [{ baseUrl: "api.example" }, "baseUrl"],
  [{ baseUrl: "https://user:secret@api.example" }, "baseUrl"],
  [{ baseUrl: "https://api.example/?a=1" }, "baseUrl"],
  [{ apiKey: "" }, "apiKey"],
  [{ apiKey: "käse" }, "apiKey"],
  [{ allowance: -1 }, "allowance"],
  [{ allowance: 1.5 }, "allowance"],
  [{ lifecycle: "slow" }, "lifecycle"],
  [{ lifecycle: { queued: 1, running: 1, unit: "hours" } }, "lifecycle"],
  [{ lifecycle: { queued: 0.5, running: 1, unit: "polls" } }, "lifecycle"],
  [{ lifecycle: { queued: Number.NaN, running: 1, unit: "ms" } }, "lifecycle"],
  [{ clock: "lunar" }, "clock"],
  [{ undocumented: { appCost: -1 } }, "appCost"],
  [{ undocumented: { errorBody: { message: "no" } } }, "errorBody"],
  [{ undocumented: { slide: { caption: "one" } } }, "slide"],
  [{ undocumented: { status: { notFound: 200 } } }, "notFound"],
])("refuses to be made with %j, naming the option and no secret", (options, name) => {
  const make = () => createMock(options as never);

  expect(make).toThrow(name);
  expect(make).not.toThrow(/secret|käse/);
});
