import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";
import { rejection } from "../helpers/rejection.js";

const baseUrl = "https://example.com/api/v1";
const withFields = (fields: object, message = "Dynamic server usage") =>
  Object.assign(new Error(message), fields);
const failing = (error: unknown) => async () => {
  throw error;
};

const signals = [
  "DYNAMIC_SERVER_USAGE",
  "HANGING_PROMISE_REJECTION",
  "NEXT_PRERENDER_INTERRUPTED",
  "BAILOUT_TO_CLIENT_SIDE_RENDERING",
  "NEXT_REDIRECT;replace;/login;307;",
].map((digest) => withFields({ digest }));
signals.push(withFields({ code: "NEXT_STATIC_GEN_BAILOUT" }));

const failures: [string, unknown][] = [
  ["the hash that React gives errors", withFields({ digest: "1180438931" })],
  ["a hash with a name at its end", withFields({ digest: "1180438931DYNAMIC_SERVER_USAGE" })],
  ["a digest and a code of the network", withFields({ digest: "DYNAMIC_SERVER_USAGE", code: "ECONNRESET" })],
  [
    "a digest and a cause in the network",
    withFields({ digest: "DYNAMIC_SERVER_USAGE", cause: withFields({ code: "ECONNRESET" }) }),
  ],
  ["a bail-out with a cause", withFields({ code: "NEXT_STATIC_GEN_BAILOUT", cause: new Error("reset") })],
];

describe.each(["GET", "POST"] as const)("a %s", (method) => {
  test.each(signals)("passes on untouched what its platform steers by ($digest $code)", async (signal) => {
    let sent = 0;
    const fetch = () => {
      sent++;
      return failing(signal)();
    };
    const { error, delays } = await outcomeOf(method, { baseUrl, fetch });
    expect(error).toBe(signal);
    expect(sent).toBe(1);
    expect(delays).toEqual([]);
  });

  test.each(failures)("fails with what charges tell where an error has %s", async (_, error) => {
    const outcome = await outcomeOf(method, { baseUrl, fetch: failing(error), maxRetries: 0 });
    expect(outcome.error.constructor).toBe(ConnectionError);
    expect(outcome.error.charged).toBe(method === "GET" ? "no" : "maybe");
  });

  test("is never steered by what comes after an answer has begun", async () => {
    const body = new ReadableStream({ pull: () => Promise.reject(signals[0]) });
    const fetch = async () => new Response(body, { status: method === "GET" ? 404 : 201 });
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(error.constructor).toBe(ConnectionError);
    expect(error.charged).toBe(method === "GET" ? "no" : "maybe");
  });
});

test("a wait ends with what its platform steers by", async () => {
  const mock = createMock();
  const [signal] = signals;
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch: failing(signal) });
  expect(await rejection(client.waitForJob("job_1"))).toBe(signal);
  const seen: unknown[] = [];
  const watch = async () => {
    for await (const job of client.watchJob("job_1")) seen.push(job);
  };
  expect(await rejection(watch())).toBe(signal);
  expect(await rejection(client.screenshots.createAndWait({ appId: "a", device: "iphone-69" }))).toBe(signal);
  expect(seen).toEqual([]);
});
