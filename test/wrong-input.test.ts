import { ConfigurationError, InvalidRequestError, pollDelayMs, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { rejection } from "./helpers/rejection.js";

// What programs without types hand over.

function start() {
  const mock = createMock();
  return { mock, client: new ScreenshotSets(mock.clientOptions) };
}

const path = "/public/v1/jobs/{id}";

test("options of a client that are no object are refused", () => {
  for (const options of ["https://example.com/api/v1", null]) {
    expect(() => new ScreenshotSets(options as never)).toThrow(ConfigurationError);
  }
});

test("null stands for no options, in every call", async () => {
  const { client } = start();
  const { appId } = await client.apps.create(
    { iosUrl: "https://apps.apple.com/us/app/x/id1" },
    null as never,
  );
  const { jobId } = await client.screenshots.create({ appId, device: "iphone-69" }, null as never);
  expect(await client.jobs.get(jobId, null as never)).toMatchObject({ status: "queued" });
  expect(await client.waitForJob(jobId, null as never)).toMatchObject({ status: "succeeded" });
  const set = { appId, device: "iphone-69" } as const;
  expect(await client.screenshots.createAndWait(set, null as never)).toMatchObject({ status: "succeeded" });
  expect(pollDelayMs(1000, null as never)).toBe(pollDelayMs(1000));
});

test("parameters that are no object are refused before any request", async () => {
  const { mock, client } = start();
  for (const params of [null, undefined, "app_1", 5]) {
    expect(await rejection(client.screenshots.create(params as never))).toBeInstanceOf(InvalidRequestError);
    expect(await rejection(client.apps.create(params as never))).toBeInstanceOf(InvalidRequestError);
  }
  expect(mock.requests()).toEqual([]);
});

/** What openapi-fetch leaves out of a query. */
const lost: [value: unknown, name: string][] = [
  [new Date(), "a Date"],
  [new Map([["b", 1]]), "a Map"],
  [Promise.resolve("b"), "a Promise"],
];

test("a request with what its operation does not take, or without what it takes, is refused before it is sent", async () => {
  const { mock, client } = start();
  const inits: [init: unknown, path: string, message: string][] = [
    [undefined, "id", "Expected a string, got undefined"],
    [{ params: { path: { id: "job_1" } }, body: {} }, "", "Expected no body"],
    [
      { params: { path: { id: "job_1" }, query: { a: { b: { c: 1 } } } } },
      "query",
      "Expected values that a query can hold",
    ],
    ...lost.map(
      ([value, name]) =>
        [
          { params: { path: { id: "job_1" }, query: { a: 1, since: value } } },
          "since",
          `Expected a value that a query can hold, got ${name}`,
        ] as [unknown, string, string],
    ),
    [
      { params: { path: { id: "job_1" }, query: new URLSearchParams({ a: "1" }) } },
      "query",
      "Expected a value that a query can hold, got a URLSearchParams",
    ],
  ];
  for (const [init, at, message] of inits) {
    const error = await rejection(client.request("GET", path, init as never));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues: [{ path: at, message }] });
  }
  expect(mock.requests()).toEqual([]);
});

test("parameters that cannot be read are refused before any request", async () => {
  const { mock, client } = start();
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const broken = new Error("broken");
  const unreadable = Object.defineProperty({}, "iosUrl", {
    enumerable: true,
    get() {
      throw broken;
    },
  });
  for (const params of [proxy, unreadable]) {
    expect(await rejection(client.screenshots.create(params as never))).toBeInstanceOf(InvalidRequestError);
    expect(await rejection(client.apps.create(params as never))).toBeInstanceOf(InvalidRequestError);
  }
  expect(await rejection(client.apps.create(unreadable as never))).toMatchObject({ cause: broken });
  expect(mock.requests()).toEqual([]);
});

test.each([
  ["signal", "It takes `params`, `body`."],
  ["headers", "It takes `params`, `body`."],
  ["param", "Did you mean `params`?"],
])("%s beside the parameters of a request is refused, not ignored", async (name, advice) => {
  const { mock, client } = start();
  const init = { params: { path: { id: "job_1" } }, [name]: {} };
  const error = await rejection(client.request("GET", path, init));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toBe(`The input of \`request\` has no field \`${name}\`. ${advice}`);
  expect(mock.requests()).toEqual([]);
});

test("null stands for no parameters of a path", async () => {
  const { client } = start();
  const error = await rejection(client.request("GET", path, { params: { path: null } } as never));
  expect(error).toBeInstanceOf(InvalidRequestError);
});

test("a create is accepted whatever becomes of what was handed in", async () => {
  const { client } = start();
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  const body = { appId, device: "iphone-69", count: 1 } as const;
  const { proxy, revoke } = Proxy.revocable({ ...body }, {});
  const created = client.request("POST", "/public/v1/screenshots", { body: proxy });
  revoke();
  expect(await created).toHaveProperty("jobId");
});

test.each(["FormData", "Headers", "TextDecoder"])(
  "a create is not sent where the platform has no %s",
  async (name) => {
    const { mock, client } = start();
    vi.stubGlobal(name, undefined);
    const error = await rejection(client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" }));
    vi.unstubAllGlobals();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(`\`${name}\``);
    expect(mock.requests()).toEqual([]);
  },
);

test("a call is refused where the platform has no fetch and none was given", async () => {
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1" });
  vi.stubGlobal("fetch", undefined);
  const error = await rejection(client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" }));
  vi.unstubAllGlobals();
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain("Expected `fetch` among the globals");
});
