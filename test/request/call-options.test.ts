import { ConfigurationError, InvalidRequestError, ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { apiKey, calls, goodBody } from "../helpers/outcome-of.js";
import { rejection } from "../helpers/rejection.js";
import { attemptTimeoutMs, RequestClock } from "../helpers/request-clock.js";

/** A client whose requests are all answered so, and their URLs. */
function clientOf(status = 200) {
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    urls.push(String(url));
    const id = decodeURIComponent(new URL(String(url)).pathname.split("/").at(-1) ?? "");
    return Response.json({ ...goodBody, id }, { status });
  };
  const baseUrl = "https://example.com/api/v1";
  const clock = new RequestClock();
  return { urls, client: new ScreenshotSets({ apiKey, baseUrl, fetch, clock, timeoutMs: attemptTimeoutMs }) };
}

describe.each(["GET", "POST"] as const)("a %s", (method) => {
  test.each([
    [{ signal: {} }, "Expected `signal` to be an AbortSignal, got an object."],
    [
      { signal: { aborted: false, throwIfAborted() {} } },
      "Expected `signal` to be an AbortSignal, got an object.",
    ],
    [{ signal: null }, "Expected `signal` to be an AbortSignal, got null."],
    [{ signal: "abort" }, "Expected `signal` to be an AbortSignal, got a string."],
    [{ timeoutMs: -1 }, "Expected `timeoutMs` to be a number of milliseconds, 0 or more, got -1."],
    [{ timeoutMs: "7" }, "Expected `timeoutMs` to be a number of milliseconds, 0 or more, got a string."],
    [{ maxRetries: -1 }, "Expected `maxRetries` to be a non-negative integer, got -1."],
    [{ maxRetries: 0.5 }, "Expected `maxRetries` to be a non-negative integer, got 0.5."],
  ])("with %o is refused before it is sent", async (options, message) => {
    const { client, urls } = clientOf();
    const error = await rejection(calls[method](client, options as never));
    expect(error.constructor).toBe(ConfigurationError);
    expect(error.message).toBe(message);
    expect(urls).toEqual([]);
  });

  test.each([0, 1, 4])("has retries of its own: %s", async (maxRetries) => {
    const { client, urls } = clientOf(429);
    await rejection(calls[method](client, { maxRetries }));
    expect(urls).toHaveLength(maxRetries + 1);
    await rejection(calls[method](client));
    expect(urls).toHaveLength(maxRetries + 1 + 3);
  });
});

test.each([{}, null, "abort", 0, ""])(
  "a create with a wait is refused with %j for a signal",
  async (signal) => {
    const { client, urls } = clientOf();
    const params = { appId: "app-1", device: "iphone-69" } as const;
    const error = await rejection(client.screenshots.createAndWait(params, { signal: signal as never }));
    expect(error.message).toMatch(/^Expected `signal` to be an AbortSignal, got /);
    expect(urls).toEqual([]);
  },
);

test("half of a surrogate pair, which has no UTF-8 form, is replaced in a job id; whole ones are kept", async () => {
  const { client, urls } = clientOf();
  for (const id of ["\ud83d\ude00", "a\ud83d", "\ude00b", "\ude00\ud83d", "\ud83d\ud83d\ude00"]) {
    await client.jobs.get(id);
  }
  const paths = ["😀", "a\ufffd", "\ufffdb", "\ufffd\ufffd", "\ufffd😀"].map(encodeURIComponent);
  expect(urls).toEqual(paths.map((id) => `https://example.com/api/v1/public/v1/jobs/${id}`));
});

test("a query is sent with an operation that has parameters in its path, and with one that has none", async () => {
  const { client, urls } = clientOf();
  const query = { dry: true, tag: ["a", "b c"], filter: { to: 5 } };
  await client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: "a/b" }, query } } as never);
  const body = { appId: "app-1", device: "iphone-69", count: 1 };
  await client.request("POST", "/public/v1/screenshots", { params: { query }, body } as never);
  expect(urls.map((url) => url.slice("https://example.com/api/v1".length))).toEqual([
    "/public/v1/jobs/a%2Fb?dry=true&tag=a&tag=b%20c&filter[to]=5",
    "/public/v1/screenshots?dry=true&tag=a&tag=b%20c&filter[to]=5",
  ]);
});

test("a body that JSON cannot hold is refused, and says which fields are wrong and how", async () => {
  const { client, urls } = clientOf();
  const create = (more: object) =>
    rejection(client.screenshots.create({ appId: "app-1", device: "iphone-69", ...more }));
  const circle: { self?: object } = {};
  circle.self = circle;
  const odd = await create({ circle });
  expect(odd.constructor).toBe(InvalidRequestError);
  // A document may forbid fields that it does not name.
  const [{ message }] = odd.issues;
  expect(["Expected what JSON can hold", "Expected no circle"]).toContain(message);
  expect(odd.issues).toEqual([{ path: "", message }]);
  expect(odd.message).toBe(`createScreenshots was not sent: ${message}.`);
  expect(odd.cause instanceof TypeError).toBe(message === "Expected what JSON can hold");
  expect((await create({ appId: "", count: 1.5 })).message).toBe(
    "createScreenshots was not sent: appId: Expected at least 1 character, got 0; count: Expected an integer.",
  );
  expect(urls).toEqual([]);
});
