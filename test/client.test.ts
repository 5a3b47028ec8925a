import { setupServer } from "msw/node";
import { AuthenticationError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import { expect, onTestFinished, test } from "vitest";
import { rejection } from "./helpers/rejection.js";

const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" };

function start() {
  const mock = createMock();
  return { mock, client: new ScreenshotSets(mock.clientOptions) };
}

/** A client that reaches the mock through msw, with a clock of its own. */
function startThroughMsw() {
  const mock = createMock();
  const { apiKey, baseUrl } = mock.clientOptions;
  // A client may be made before msw listens.
  const client = new ScreenshotSets({ apiKey, baseUrl });
  const server = setupServer(...handlers(mock));
  server.listen(listenOptions);
  onTestFinished(() => server.close());
  return { mock, client };
}

test.each([
  ["the injected fetch", start],
  ["msw", startThroughMsw],
])("goes from a store URL to the planned slides, for 10 credits, through %s", async (_, begin) => {
  const { mock, client } = begin();

  const app = await client.apps.create(listing);
  const accepted = await client.screenshots.create({ appId: app.appId, device: "iphone-69" });
  const job = await client.waitForJob(accepted.jobId);

  expect(accepted.credits).toEqual({ cost: 10, remaining: 90 });
  expect(job).toMatchObject({ id: accepted.jobId, status: "succeeded", result: { device: "iphone-69" } });
  expect(job.result.slides).toHaveLength(5);
  expect(mock.credits.remaining).toBe(90);
  // With the document's default count, and no field that was not given.
  const [sent] = mock.requests({ operation: "createScreenshots" });
  expect(sent?.body).toEqual({ appId: app.appId, device: "iphone-69", count: 5 });
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
  expect(job.credits).toEqual({ cost: 10, remaining: 90 });
  expect(job.result.slides).toHaveLength(2);
});

test("takes a key that the service does not know to an AuthenticationError with the service's message", async () => {
  const client = start().client.withOptions({ apiKey: "not-a-key-of-this-service" });
  const error = await rejection(client.apps.create(listing));
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(error).toMatchObject({ status: 401, charged: "no", attempts: 1, path: "/public/v1/apps" });
  expect(error.message).toContain(error.body.error?.message ?? error.body.message);
});

test("names the job on the errors of client.request as on those of jobs.get", async () => {
  const client = new ScreenshotSets(createMock().clientOptions);
  const byPath = client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: "no-job" } } });
  const [error, same] = await Promise.all([rejection(byPath), rejection(client.jobs.get("no-job"))]);
  expect(error).toMatchObject({ jobId: "no-job", path: "/public/v1/jobs/no-job", charged: "no" });
  expect({ ...error, headers: [] }).toEqual({ ...same, headers: [] });
});

test.each([
  ["a/b", "a%2Fb"],
  ["a?b#c", "a%3Fb%23c"],
  ["..%2e", "..%252e"],
  ["ü 1", "%C3%BC%201"],
  ["\ud800", "%EF%BF%BD"],
])("percent-encodes the job id %j, and takes the job of that id", async (id, encoded) => {
  const urls: string[] = [];
  const fetch = async (url: unknown) => {
    urls.push(String(url));
    return Response.json({ id: decodeURIComponent(encoded), status: "queued" });
  };
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1/", fetch });
  expect(await client.jobs.get(id)).toMatchObject({ status: "queued" });
  expect(urls).toEqual([`https://example.com/api/v1/public/v1/jobs/${encoded}`]);
});
