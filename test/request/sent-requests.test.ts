import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { version } from "screenshot-sets/package.json";
import { expect, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";

const listing = { iosUrl: "https://apps.apple.com/us/app/x/id1" };
const params = { appId: "app_1", device: "iphone-69" } as const;

/** A client on a mock, and what it gives to `fetch`. */
function start(
  options: { headers?: Record<string, string>; authHeader?: "x-api-key" | "authorization" } = {},
) {
  const mock = createMock({ apiKey: "key_of_a_test" });
  const sent: [url: unknown, init: RequestInit & { headers: Record<string, string> }][] = [];
  const fetch: typeof globalThis.fetch = (...request) => {
    sent.push(request as (typeof sent)[number]);
    return mock.fetch(...request);
  };
  const headersOf = () => sent.splice(0).map(([, { headers }]) => headers);
  return { mock, sent, headersOf, client: new ScreenshotSets({ ...mock.clientOptions, fetch, ...options }) };
}

test.each([
  ["authorization", "Bearer key_of_a_test"],
  ["x-api-key", "key_of_a_test"],
] as const)("the key is sent as %s and nowhere else, and the body as JSON", async (authHeader, key) => {
  const { client, sent, mock } = start({ authHeader });
  await rejection(client.jobs.get("job_1"));
  await rejection(client.screenshots.create({ ...params, count: 3 }));
  const agent = `screenshot-sets/${version}`;
  const headers = { accept: "application/json", "user-agent": agent, [authHeader]: key };
  // No redirect is followed, and no answer comes from a cache.
  const always = { redirect: "manual", cache: "no-store", signal: expect.any(AbortSignal) };
  const posted = { ...headers, "content-type": "application/json" };
  const body = expect.any(String);
  const address = `${mock.clientOptions.baseUrl}/public/v1`;
  expect(sent).toStrictEqual([
    [`${address}/jobs/job_1`, { method: "GET", headers, ...always }],
    [`${address}/screenshots`, { method: "POST", headers: posted, body, ...always }],
  ]);
  expect(JSON.parse(String(sent[1]?.[1].body))).toEqual({ ...params, count: 3 });
});

test("a create is the same on the wire under Deno, whose fetch sends a text again after a reset, but not a Blob", async () => {
  const server = await rawServer(reply(201, goodBody));
  const bodies: unknown[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    bodies.push(init?.body);
    return globalThis.fetch(url, init);
  };
  await outcomeOf("POST", { baseUrl: server.baseUrl, fetch });
  vi.stubGlobal("Deno", {});
  const { value } = await outcomeOf("POST", { baseUrl: server.baseUrl, fetch });
  expect(value).toEqual(goodBody);
  expect(bodies).toEqual([expect.any(String), expect.any(Blob)]);
  expect(server.seen[1]).toEqual(server.seen[0]);
});

test("a create goes out on a new connection under Bun, whose fetch sends it again after a reset of a kept one", async () => {
  const { mock } = start();
  const { fetch: _, ...options } = mock.clientOptions;
  const client = new ScreenshotSets(options);
  const kept: unknown[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    kept.push([init.method, init.keepalive]);
    return mock.fetch(url, init);
  });
  await client.apps.create(listing);
  const versions = { value: { ...process.versions, bun: "1.3.11" } };
  vi.stubGlobal("process", Object.create(process, { versions }));
  const { jobId } = await client.screenshots.create(params);
  await client.jobs.get(jobId);
  expect(kept).toEqual([
    ["POST", undefined],
    ["POST", false],
    ["GET", undefined],
  ]);
});

test("the client's headers are on every request, and those of a call on its own and its polls, before the client's", async () => {
  const { client, headersOf } = start({ headers: { "X-Team": "growth", "x-trace": "a" } });
  const own = { "X-Trace": "b", "User-Agent": "shop/2 screenshot-sets", Accept: "text/plain" };
  await client.apps.create(listing, { headers: own });
  await client.screenshots.createAndWait(params, { headers: { "x-trace": "c" } });
  await client.jobs.get("job_1");
  const [first, ...others] = headersOf();
  const named = { "x-team": "growth", "x-trace": "b", "content-type": "application/json" };
  expect(first).toMatchObject({ ...named, "user-agent": "shop/2 screenshot-sets", accept: "text/plain" });
  expect(others.map((headers) => headers["x-trace"])).toEqual(["c", "c", "c", "c", "a"]);
  for (const headers of others) {
    expect(headers).toMatchObject({ "x-team": "growth", "user-agent": `screenshot-sets/${version}` });
  }
});
