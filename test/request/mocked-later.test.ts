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

test("a client made, and used, before msw listens is mocked while it does, and no longer", async () => {
  const mock = createMock();
  const client = new ScreenshotSets({ ...options, apiKey: mock.clientOptions.apiKey });
  const create = () => client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  expect(await rejection(create())).toBeInstanceOf(ConnectionError);
  const server = setupServer(...handlers(mock));
  server.listen(listenOptions);
  try {
    expect(await create()).toHaveProperty("appId");
  } finally {
    server.close();
  }
  expect(await rejection(create())).toBeInstanceOf(ConnectionError);
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
