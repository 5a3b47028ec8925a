import { setupServer } from "msw/node";
import {
  AuthenticationError,
  ConnectionError,
  devices,
  InvalidRequestError,
  isTerminal,
  JobFailedError,
  ScreenshotSets,
} from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import { afterEach, describe, expect, test } from "vitest";
import { collect } from "./helpers/collect.js";
import { documentedCredits } from "./helpers/documented-credits.js";
import { rejection } from "./helpers/rejection.js";

const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" };

/** The mock as a client reaches it: by an injected `fetch` and clock, or through msw with the client's own. */
const transports = {
  "the injected fetch": () => {
    const mock = createMock();
    return { mock, options: mock.clientOptions, close: () => {} };
  },
  msw: () => {
    const mock = createMock();
    const server = setupServer(...handlers(mock));
    server.listen(listenOptions);
    const { apiKey, baseUrl } = mock.clientOptions;
    return { mock, options: { apiKey, baseUrl }, close: () => server.close() };
  },
};

let close = () => {};
afterEach(() => {
  close();
  close = () => {};
});

describe.each(Object.entries(transports))("through %s", (_, open) => {
  function start() {
    const opened = open();
    close = opened.close;
    return { ...opened, client: new ScreenshotSets(opened.options) };
  }

  test("goes from a store URL to the planned slides, for 10 credits", async () => {
    const { mock, client } = start();

    const app = await client.apps.create(listing);
    const accepted = await client.screenshots.create({ appId: app.appId, device: "iphone-69" });
    const job = await client.waitForJob(accepted.jobId);

    expect(accepted.credits).toEqual(documentedCredits(10, 90));
    expect(job).toMatchObject({ id: accepted.jobId, status: "succeeded", result: { device: "iphone-69" } });
    expect(job.result.slides).toHaveLength(5);
    expect(mock.credits.remaining).toBe(90);
  });

  test("creates and waits in one call, telling of the acceptance and of each status", async () => {
    const { client } = start();
    const { appId } = await client.apps.create(listing);
    const seen: string[] = [];

    const job = await client.screenshots.createAndWait(
      { appId, device: "android-phone", count: 2 },
      { onAccepted: ({ jobId }) => seen.push(jobId), onUpdate: ({ status }) => seen.push(status) },
    );

    expect(seen).toEqual([job.id, "queued", "running", "succeeded"]);
    expect(job.credits).toEqual(documentedCredits(10, 90));
    expect(job.result.slides).toHaveLength(2);
  });

  test("watches a job through its states, a failed end included", async () => {
    const { mock, client } = start();
    mock.nextJob({ outcome: "failed", error: { message: "no listing" } });
    const { appId } = await client.apps.create(listing);
    const { jobId } = await client.screenshots.create({ appId, device: "ipad-pro" });

    const jobs = await collect(client.watchJob(jobId));

    expect(jobs.map(({ status }) => status)).toEqual(["queued", "running", "failed"]);
    expect(jobs.map(isTerminal)).toEqual([false, false, true]);
  });

  test("rejects with the failed job", async () => {
    const { mock, client } = start();
    mock.nextJob({ outcome: "failed", error: { message: "no listing" } });
    const { appId } = await client.apps.create(listing);

    const error = await rejection(client.screenshots.createAndWait({ appId, device: "ipad-pro" }));

    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({
      charged: "yes",
      job: { status: "failed", error: { message: "no listing" } },
    });
    expect(error.jobId).toBe(error.job.id);
    expect(error.message).toContain("no listing");
  });

  test("takes a key that the service does not know to an AuthenticationError with the service's message", async () => {
    const { options } = start();
    const client = new ScreenshotSets({ ...options, apiKey: "not-a-key-of-this-service" });

    const error = await rejection(client.apps.create(listing));

    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, charged: "no", attempts: 1, path: "/public/v1/apps" });
    expect(error.message).toContain(error.body.error?.message ?? error.body.message);
  });

  test("sends the key in either header", async () => {
    const { options } = start();
    const client = new ScreenshotSets({ ...options, authHeader: "x-api-key" });
    await expect(client.apps.create(listing)).resolves.toHaveProperty("appId");
  });

  test("calls any operation of the document by its path", async () => {
    const { client } = start();
    const app = await client.request("POST", "/public/v1/apps", { body: listing });
    const body = { appId: app.appId, device: devices[0], count: 1 };
    const { jobId } = await client.request("POST", "/public/v1/screenshots", { body });
    const job = await client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: jobId } } });
    expect(job.id).toBe(jobId);
  });
});

test("waits through a ten-minute job in a moment of real time", async () => {
  const mock = createMock({ lifecycle: { queued: 60_000, running: 540_000, unit: "ms" } });
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create(listing);
  const { jobId } = await client.screenshots.create({ appId, device: "iphone-69" });
  const startedAt = { real: performance.now(), virtual: mock.clock.now() };

  await client.waitForJob(jobId, { timeoutMs: 700_000 });

  expect(mock.clock.now() - startedAt.virtual).toBeGreaterThanOrEqual(600_000);
  expect(mock.clock.now() - startedAt.virtual).toBeLessThanOrEqual(630_000);
  expect(performance.now() - startedAt.real).toBeLessThan(20_000);
});

test.each([{ count: 1 }, {}])("sends fields that the parameters have from their class (%o)", async (own) => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create(listing);
  class Row {
    readonly device = devices[0];
    get appId() {
      return appId;
    }
  }

  await client.screenshots.create(Object.assign(new Row(), own));

  const [create] = mock.requests({ operation: "createScreenshots" });
  expect(create?.body).toMatchObject({ appId, device: devices[0], ...own });
});

test("sends the document's default count, and no field that was not given", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create(listing);
  await client.screenshots.create({ appId, device: "iphone-69" });
  expect(mock.requests({ operation: "createScreenshots" })[0]?.body).toEqual({
    appId,
    device: "iphone-69",
    count: 5,
  });
});

describe("refuses before any request", () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const set = { appId: "app", device: "iphone-69" } as const;

  const wrong: [what: string, path: string, call: () => Promise<unknown>][] = [
    ["no store URL", "", () => client.apps.create({} as never)],
    ["an empty store URL", "iosUrl", () => client.apps.create({ iosUrl: "" })],
    ["a store URL that is no string", "iosUrl", () => client.apps.create({ iosUrl: 1 as never })],
    ["no parameters", "", () => client.apps.create(undefined as never)],
    [
      "2001 characters of context",
      "extraContext",
      () => client.apps.create({ ...listing, extraContext: "é".repeat(2001) }),
    ],
    ["an unknown device", "device", () => client.screenshots.create({ ...set, device: "iphone-1" as never })],
    ["a count of 0", "count", () => client.screenshots.create({ ...set, count: 0 })],
    ["a count of 11", "count", () => client.screenshots.create({ ...set, count: 11 })],
    ["a count of 1.5", "count", () => client.screenshots.create({ ...set, count: 1.5 })],
    ["a count of null", "count", () => client.screenshots.create({ ...set, count: null as never })],
    ["an empty appId", "appId", () => client.screenshots.create({ ...set, appId: "" })],
    ["no appId", "appId", () => client.screenshots.create({ device: "iphone-69" } as never)],
    [
      "an unknown caption length",
      "captionLength",
      () => client.screenshots.create({ ...set, captionLength: "mid" as never }),
    ],
    [
      "a caption style that is no string",
      "captionStyle",
      () => client.screenshots.create({ ...set, captionStyle: 1 as never }),
    ],
    ["an empty job id", "id", () => client.jobs.get("")],
    ["a job id of one dot", "id", () => client.waitForJob(".")],
    ["a job id of two dots", "id", () => client.jobs.get("..")],
    ["a job id that is no string", "id", () => client.waitForJob(7 as never)],
    ["an absolute URL", "path", () => client.request("GET" as never, "https://example.com/" as never)],
    ["a body that JSON cannot hold", "", () => client.screenshots.create({ ...set, more: 1n } as never)],
    [
      "two dots in a path of client.request",
      "id",
      () => client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: ".." } } }),
    ],
  ];

  test.each(wrong)("%s", async (_, path, call) => {
    const error = await rejection(call());
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
    expect(error).toMatchObject({ charged: "no", jobId: undefined });
    expect(mock.requests()).toEqual([]);
  });

  test("but takes what is just within the limits", async () => {
    const app = await client.apps.create({ ...listing, extraContext: "🎉".repeat(2000) });
    const create = (count: number) =>
      client.screenshots.create({ ...set, appId: app.appId, count, captionStyle: "any" });
    await expect(Promise.all([create(1), create(10)])).resolves.toHaveLength(2);
  });
});

test("names the job on the errors of client.request as on those of jobs.get", async () => {
  const client = new ScreenshotSets(createMock().clientOptions);
  const byPath = client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: "no-job" } } });
  const [error, same] = await Promise.all([rejection(byPath), rejection(client.jobs.get("no-job"))]);
  expect(error).toMatchObject({ jobId: "no-job", path: "/public/v1/jobs/no-job", charged: "no" });
  expect({ ...error, headers: [] }).toEqual({ ...same, headers: [] });
});

test("percent-encodes a job id", async () => {
  const urls: string[] = [];
  const fetch = async (url: unknown) => {
    urls.push(String(url));
    return new Response("{}", { status: 404 });
  };
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1/", fetch });
  for (const id of ["a/b", "../apps", "a?b#c", "%2e%2e", "ü \ud800"])
    await client.jobs.get(id).catch(() => {});
  expect(urls.map((url) => url.slice("https://example.com/api/v1/public/v1/jobs/".length))).toEqual([
    "a%2Fb",
    "..%2Fapps",
    "a%3Fb%23c",
    "%252e%252e",
    "%C3%BC%20%EF%BF%BD",
  ]);
});

test("takes an unreachable host to a ConnectionError", async () => {
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: "http://127.0.0.1:9/api/v1", maxRetries: 0 });
  const error = await rejection(client.apps.create(listing));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ charged: "no", attempts: 1 });
});
