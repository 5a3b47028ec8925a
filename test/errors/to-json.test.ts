import { ConnectionError, JobFailedError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rejection } from "../helpers/rejection.js";

const baseUrl = "https://example.com/api/v1";
const json = (error: unknown) => JSON.parse(JSON.stringify(error));

test("an error in JSON has its name, its message and the fields that hold a value, without headers and body", async () => {
  const headers = { "x-request-id": "req_1", "set-cookie": "secret" };
  const fetch = async () =>
    Response.json({ message: "No such job", secret: "secret" }, { status: 404, headers });
  const { error } = await outcomeOf("GET", { baseUrl, fetch });
  expect(json(error)).toEqual({
    name: "NotFoundError",
    message: "getJob failed with 404: No such job.",
    ...{ jobId: "job-1", charged: "no", attempts: 1, status: 404, requestId: "req_1" },
    ...{ method: "GET", path: "/public/v1/jobs/job-1", isRetryable: false },
  });
  expect(Object.values(error.toJSON())).not.toContain(undefined);
});

test("an answer that breaks the document is told by its issues", async () => {
  const fetch = async () => Response.json({ data: goodBody });
  const { error } = await outcomeOf("POST", { baseUrl, fetch });
  expect(json(error)).toMatchObject({
    name: "InvalidResponseError",
    jobId: "job-1",
    charged: "maybe",
    issues: [{ path: "jobId", message: "Expected a string, got undefined" }],
  });
  expect(Object.keys(json(error))).not.toContain("body");
});

test.each([
  ["an error", new TypeError("fetch failed", { cause: { secret: "deep" } }), "TypeError: fetch failed"],
  ["a text", "lost", "lost"],
  ["nothing", undefined, undefined],
  ["what cannot be written as text", Object.create(null), "object"],
  ["what only looks like an error", { name: "FetchError", message: "lost" }, "FetchError: lost"],
  ["an error without a message", new RangeError(), "RangeError"],
  ["what is very long", new Error("x".repeat(10_000)), `Error: ${"x".repeat(493)}…`],
])("its cause is told in brief where that is %s", async (_, thrown, cause) => {
  const fetch = () => Promise.reject(thrown);
  const { error } = await outcomeOf("POST", { baseUrl, fetch, maxRetries: 0 });
  expect(error.constructor).toBe(ConnectionError);
  expect(json(error).cause).toBe(cause);
});

test("its cause has no say in the text, which may hold the key", async () => {
  const fetch: typeof globalThis.fetch = async (_, init) => {
    throw Object.assign(new Error("lost"), {
      toString: () => new Headers(init?.headers).get("authorization"),
    });
  };
  const { error } = await outcomeOf("POST", { baseUrl, fetch, maxRetries: 0 });
  expect(json(error).cause).toBe("Error: lost");
});

test("a job that failed is told with its id and what the service says of it", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  mock.nextJob({ outcome: "failed", error: { message: "no screenshots found" } });
  const error = await rejection(client.screenshots.createAndWait({ appId: "app_1", device: "iphone-69" }));
  expect(error).toBeInstanceOf(JobFailedError);
  expect(json(error)).toEqual({
    name: "JobFailedError",
    message: "Job job_1 failed: no screenshots found.",
    jobId: "job_1",
    charged: "yes",
    job: { id: "job_1", status: "failed", result: null, error: { message: "no screenshots found" } },
  });
});
