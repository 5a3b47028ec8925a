import { expect, onTestFinished, test, vi } from "vitest";
import { loadOwnModules } from "../helpers/own-modules.js";

// What `npm run generate` writes into this file differs with the document.
const samples = "../../src/generated/samples.js";
const operations = "../../src/generated/operations.js";

test("answers are completed with what the document requires besides, and brought to its types", async () => {
  const result = { device: "iphone-69", slides: [{ caption: "any" }], theme: { dark: false } };
  const answers = {
    createApp: { appId: "appId 1", name: { en: "name 1" }, category: ["any"], owner: { name: "owner 1" } },
    createScreenshots: { jobId: "jobId 1", credits: { cost: "0", remaining: 0, unit: "points" } },
    getJob: { id: "id 1", result, error: { code: "code 1" }, priority: null },
  };
  loadOwnModules();
  vi.doMock(samples, async (original) => ({ ...(await original<object>()), answers }));
  onTestFinished(() => vi.doUnmock(samples));
  const { openMock } = await import("./ask.js");
  const { mock, ask, listing, createSet, look } = openMock({ lifecycle: "instant" });
  mock.nextJob({ outcome: "succeeded", slides: [] });
  mock.nextJob({ outcome: "failed", error: { code: 7, reason: "own" } });

  const { body } = await ask("/public/v1/apps", listing);
  expect(body).toMatchObject({ artworkUrl: expect.any(String), owner: { name: "owner 1" } });
  expect([body.name, body.category]).toEqual([{ en: "name 1" }, ["any"]]);
  const credits = { cost: "10", remaining: 90, unit: "points" };
  expect((await createSet(body.appId)).body).toEqual({ jobId: "job_1", credits });
  await createSet(body.appId);
  const job = {
    id: "job_1",
    status: "succeeded",
    result: { ...result, slides: [] },
    error: null,
    priority: null,
  };
  expect((await look("job_1")).body).toEqual(job);
  const error = { code: "7", reason: "own" };
  expect((await look("job_2")).body).toEqual({ ...job, id: "job_2", status: "failed", result: null, error });
});

test("names an operation that it does not play, with 501 and in the journal, and rejects when it is strict", async () => {
  loadOwnModules();
  vi.doMock(operations, async (original) => {
    const generated = await original<{ operations: object[] }>();
    const getApp = { name: "getApp", method: "GET", path: "/public/v1/apps/{id}" };
    return { ...generated, operations: [...generated.operations, getApp] };
  });
  onTestFinished(() => vi.doUnmock(operations));
  const { openMock } = await import("./ask.js");
  const { mock, ask } = openMock();
  const strict = openMock({ strict: true });

  const { status, body } = await ask("/public/v1/apps/app_1");

  const message = expect.stringMatching(/does not play getApp.*mock\.fault\(/);
  expect([status, body]).toEqual([501, { error: { code: "not_played", message } }]);
  expect(mock.requests()).toMatchObject([{ operation: "getApp", status: 501, guesses: ["not_played"] }]);
  await expect(strict.ask("/public/v1/apps/app_1")).rejects.toMatchObject({
    name: "UndocumentedError",
    message,
    guesses: ["not_played"],
  });
  expect((await ask("/public/v1/apps/app_1", undefined, { headers: {} })).status).toBe(401);
});
