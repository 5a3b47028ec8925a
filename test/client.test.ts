import { setupServer } from "msw/node";
import { AuthenticationError, devices, isTerminal, JobFailedError, ScreenshotSets } from "screenshot-sets";
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
