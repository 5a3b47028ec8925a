import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import { afterEach, expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const job = { id: "job-1", status: "queued", result: null, error: null };
const options = { apiKey: "key", baseUrl: "https://api.screenshot-sets.test/api/v1", maxRetries: 0 };

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a client made before msw listens is mocked while it does, and no longer", async () => {
  const client = new ScreenshotSets(options);
  const server = setupServer(http.get("*/public/v1/jobs/job-1", () => HttpResponse.json(job)));
  server.listen({ onUnhandledRequest: "error" });
  try {
    expect(await client.jobs.get("job-1")).toEqual(job);
  } finally {
    server.close();
  }
  expect(await rejection(client.jobs.get("job-1"))).toBeInstanceOf(ConnectionError);
});

test("a client made, and used, before the mock's handlers listen is mocked by them", async () => {
  const mock = createMock();
  const client = new ScreenshotSets({ ...options, ...{ apiKey: mock.clientOptions.apiKey } });
  await rejection(client.jobs.get("job-1"));
  const server = setupServer(...handlers(mock));
  server.listen(listenOptions);
  try {
    expect(await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" })).toHaveProperty(
      "appId",
    );
  } finally {
    server.close();
  }
  expect(mock.requests()).toHaveLength(1);
});

test("a global fetch that is put in place later is used from then on, also within a call", async () => {
  const client = new ScreenshotSets({ ...options, maxRetries: 1 });
  const answered: string[] = [];
  const stub = (name: string, status: number) =>
    vi.stubGlobal("fetch", async () => {
      answered.push(name);
      if (name === "first") stub("second", 200);
      return Response.json(job, { status, headers: { "retry-after": "0" } });
    });
  stub("first", 429);
  expect(await client.jobs.get("job-1")).toEqual(job);
  expect(answered).toEqual(["first", "second"]);
});

test("a fetch that is given is used, whatever the global one is", async () => {
  vi.stubGlobal("fetch", () => {
    throw new Error("not this one");
  });
  const client = new ScreenshotSets({ ...options, fetch: async () => Response.json(job) });
  expect(await client.jobs.get("job-1")).toEqual(job);
});
