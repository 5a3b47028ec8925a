import { ApiError, ConfigurationError, InvalidRequestError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const { apiKey, baseUrl, clock } = createMock().clientOptions;

/** A client, and the requests that it sends. */
function recording(answer: () => Response = () => Response.json({ ok: true })) {
  const sent: { method: string; address: string; body: unknown }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const address = String(input).slice(baseUrl.length);
    sent.push({ method: String(init?.method), address, body: init?.body && JSON.parse(String(init.body)) });
    return answer();
  };
  return { sent, client: new ScreenshotSets({ apiKey, baseUrl, clock, fetch }) };
}

test("reaches an endpoint that the document does not have, with its parameters, query and body", async () => {
  const { sent, client } = recording();
  const path = "/public/v1/sets/{set}/slides";
  const init = { params: { path: { set: "a b/c" }, query: { limit: 3, kind: "long" } } };
  expect(await client.request<{ ok: boolean }>("GET", path, init)).toEqual({ ok: true });
  await client.request("PATCH", "/public/v1/credits", { body: { limit: 50 } });
  expect(sent).toEqual([
    { method: "GET", address: "/public/v1/sets/a%20b%2Fc/slides?limit=3&kind=long", body: undefined },
    { method: "PATCH", address: "/public/v1/credits", body: { limit: 50 } },
  ]);
});

test("needs no global Request, which test runners may hide", async () => {
  const { sent, client } = recording();
  vi.stubGlobal("Request", undefined);
  expect(await client.request("PUT", "/public/v1/a", { body: [1] })).toEqual({ ok: true });
  expect(sent).toEqual([{ method: "PUT", address: "/public/v1/a", body: [1] }]);
});

test("checks neither the parameters nor the answer of an operation of the document", async () => {
  const { sent, client } = recording(() => Response.json({ job: 7 }, { status: 202 }));
  const body = { appId: "", device: "vision-pro", count: 99 } as never;
  expect(await client.request("POST", "/public/v1/screenshots", { body })).toEqual({ job: 7 });
  expect(sent).toEqual([{ method: "POST", address: "/public/v1/screenshots", body }]);
});

test.each([
  ["JSON", '{"a":[1]}', { a: [1] }],
  ["another text", "hello", "hello"],
  ["nothing", "", undefined],
])("resolves to %s as it came", async (_, text, value) => {
  const { client } = recording(() => new Response(text, { status: 200 }));
  expect(await client.request("GET", "/public/v1/anything")).toEqual(value);
});

/** What no request can hold, or what would lead away from the base URL. */
const refused: [method: string, path: string, init?: object, errorClass?: unknown][] = [
  ...["https://evil.example/", "//evil.example", "evil", "", "@evil.example/"].map((path) => ["GET", path]),
  ...["/../../admin", "/%2e%2e/%2e%2e/admin"].map((path) => ["GET", path]),
  ...["", "..", 7, undefined].map((set) => ["GET", "/sets/{set}", { params: { path: { set } } }]),
  ["get", "/new"],
  ...["GET", "HEAD"].map((method) => [method, "/new", { body: null }]),
  ...["CONNECT", "TRACE", "TRACK"].map((method) => [method, "/new"]),
  ["POST", "/new", { body: { count: 5n } }],
  ["GET", "/new", { signal: AbortSignal.abort() }, ConfigurationError],
] as never;

test.each(refused)("sends nothing for %s %s %o", async (method, path, init, error = InvalidRequestError) => {
  const { sent, client } = recording();
  const call = client.request(method as "GET", path, init as never);
  expect(await rejection(call)).toBeInstanceOf(error);
  expect(sent).toEqual([]);
});

test.each([
  ["GET", 3, "no"],
  ["HEAD", 3, "no"],
  ["POST", 1, "maybe"],
  ["DELETE", 1, "maybe"],
] as const)("a %s that is answered 503 is sent %d times, and charged: %s", async (method, times, charged) => {
  const { sent, client } = recording(() => new Response(null, { status: 503 }));
  const error = await rejection(
    client.request(method, "/public/v1/new/{id}", { params: { path: { id: "x" } } }),
  );
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ charged, attempts: times, method, path: "/public/v1/new/x" });
  expect(sent).toHaveLength(times);
});

test("a job that it creates is waited for as any other, through a first 404", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  const body = { appId, device: "iphone-69", count: 3 } as const;
  const { jobId } = await client.request("POST", "/public/v1/screenshots", { body });
  mock.fault({ status: 404 }, { operation: "getJob" });
  expect(await client.waitForJob(jobId)).toMatchObject({ status: "succeeded" });
});
