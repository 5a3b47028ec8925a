import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { version } from "screenshot-sets/package.json";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const apiKey = "sk_live_0123456789";
const baseUrl = "https://example.com/api/v1";

/** A client on the mock, and the headers of each request. */
function start(options: { headers?: Record<string, string> } = {}) {
  const mock = createMock();
  const sent: Record<string, string>[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    sent.push(init?.headers as Record<string, string>);
    return mock.fetch(url, init);
  };
  return { mock, sent, client: new ScreenshotSets({ ...mock.clientOptions, fetch, ...options }) };
}

const params = { appId: "app_1", device: "iphone-69" } as const;

test("every request, polls included, has the headers of the client and a name with the version", async () => {
  const { client, sent } = start({ headers: { "X-Team": "growth" } });
  await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  await client.screenshots.createAndWait(params, { headers: { "x-trace": "b" } });
  for (const headers of sent) {
    expect(headers).toMatchObject({ "x-team": "growth", "user-agent": `screenshot-sets/${version}` });
  }
  // Those of a create with a wait are sent with each poll, too.
  expect(sent.map((headers) => headers["x-trace"])).toEqual([undefined, "b", "b", "b", "b"]);
});

test("headers of a call come beside those of the client, and before those of the same name", async () => {
  const { client, sent } = start({ headers: { "x-team": "growth", "x-trace": "a" } });
  await client.apps.create(
    { iosUrl: "https://apps.apple.com/us/app/x/id1" },
    { headers: { "X-Trace": "b", "User-Agent": "shop/2 screenshot-sets", Accept: "text/plain" } },
  );
  expect(sent[0]).toMatchObject({
    ...{ "x-team": "growth", "x-trace": "b", "user-agent": "shop/2 screenshot-sets", accept: "text/plain" },
    "content-type": "application/json",
  });
  await rejection(client.jobs.get("job_1"));
  expect(sent[1]).toMatchObject({ "x-trace": "a" });
});

test("waits with headers of their own have polls of their own, and leave nothing behind", async () => {
  const { mock, client, sent } = start();
  await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  const { jobId } = await client.screenshots.create(params);
  sent.length = 0;
  const bare = [client.waitForJob(jobId), client.waitForJob(jobId)];
  const traces = ["a", "b"].map((trace) => client.waitForJob(jobId, { headers: { "x-trace": trace } }));
  await Promise.all([...bare, ...traces, client.waitForJob(jobId)]);
  const polls = (trace?: string) => sent.filter((headers) => headers["x-trace"] === trace);
  for (const trace of ["a", "b", undefined]) expect(polls(trace).length).toBeGreaterThan(0);
  expect(mock.requests({ operation: "getJob" })).toHaveLength(sent.length);
});

test("a page in a browser goes by the browser's name, which needs no leave of the service", async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("window", { document: {} });
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(init?.headers);
    return new Response(null, { status: 404 });
  };
  await rejection(
    new ScreenshotSets({ apiKey, baseUrl, fetch, dangerouslyAllowBrowser: true }).jobs.get("1"),
  );
  expect(sent).toEqual([{ accept: "application/json", authorization: `Bearer ${apiKey}` }]);
});
