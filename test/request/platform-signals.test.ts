import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { collect } from "../helpers/collect.js";
import { outcomeOf } from "../helpers/outcome-of.js";
import { rejection } from "../helpers/rejection.js";

const baseUrl = "https://example.com/api/v1";
const withFields = (fields: object) => Object.assign(new Error("Dynamic server usage"), fields);
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

const inNetwork = withFields({ code: "ECONNRESET" });
const failures: [string, object][] = [
  ["the hash that React gives errors", { digest: "1180438931" }],
  ["a hash with a name at its end", { digest: "1180438931DYNAMIC_SERVER_USAGE" }],
  ["a digest and a code of the network", { digest: "DYNAMIC_SERVER_USAGE", code: "ECONNRESET" }],
  ["a digest and a cause in the network", { digest: "DYNAMIC_SERVER_USAGE", cause: inNetwork }],
  ["a bail-out with a cause", { code: "NEXT_STATIC_GEN_BAILOUT", cause: new Error("reset") }],
];

test.each(signals)("a call passes on what its platform steers by ($digest $code)", async (signal) => {
  const fetch = vi.fn(failing(signal));
  for (const method of ["GET", "POST"] as const) {
    expect(await outcomeOf(method, { baseUrl, fetch })).toMatchObject({ error: signal, delays: [] });
  }
  expect(fetch).toHaveBeenCalledTimes(2);
});

test.each(failures)("a call fails as ever where an error has %s", async (_, fields) => {
  for (const [method, charged] of [["GET", "no"] as const, ["POST", "maybe"] as const]) {
    const outcome = await outcomeOf(method, { baseUrl, fetch: failing(withFields(fields)), maxRetries: 0 });
    expect(outcome.error.constructor).toBe(ConnectionError);
    expect(outcome.error.charged).toBe(charged);
  }
});

test("a call is never steered by what comes after an answer has begun", async () => {
  const body = new ReadableStream({ pull: () => Promise.reject(signals[0]) });
  const { error } = await outcomeOf("POST", { baseUrl, fetch: async () => new Response(body) });
  expect(error.constructor).toBe(ConnectionError);
  expect(error.charged).toBe("maybe");
});

test("a wait ends with what its platform steers by", async () => {
  const [signal] = signals;
  const client = new ScreenshotSets({ ...createMock().clientOptions, fetch: failing(signal) });
  expect(await rejection(client.waitForJob("job_1"))).toBe(signal);
  expect(await rejection(collect(client.watchJob("job_1")))).toBe(signal);
  expect(await rejection(client.screenshots.createAndWait({ appId: "a", device: "iphone-69" }))).toBe(signal);
});
