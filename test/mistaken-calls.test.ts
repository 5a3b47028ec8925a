import { pollDelayMs, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test } from "vitest";
import { createApp, createScreenshots } from "../src/generated/operations.js";
import { parse } from "../src/schema/parse.js";
import { type Any, address, expectToTell, secret } from "./helpers/expect-to-tell.js";
import { rejection } from "./helpers/rejection.js";

// What people call by mistake.

const good = { apiKey: secret, baseUrl: address };
const params = { appId: "app_1", device: "iphone-69" } as const;
const listing = { iosUrl: "https://apps.apple.com/us/app/x/id1" };
/** Whether the document lets a set have parameters that it does not name, and an app. */
const setTakesMore = parse(createScreenshots.body, { ...params, count: 1, me: 1 }).ok;
const appTakesMore = parse(createApp.body, { ...listing, me: 1 }).ok;
const idIs = "getJob was not sent: id: ";
const setIs = "createScreenshots was not sent: ";
const noOperation =
  "request was not sent: path: Expected an operation of the OpenAPI document: its method in upper case, and its path with the parameters in braces.";

/** A client on a mock, and what it warns of. */
function start() {
  const mock = createMock(good);
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const logger = { debug() {}, info() {}, warn, error: warn };
  return { mock, warnings, client: new ScreenshotSets({ ...mock.clientOptions, logger }) as Any };
}

describe("before anything is sent, a call is refused:", () => {
  const calls: [call: (client: Any) => unknown, message: string][] = [
    [
      async (client) => client.waitForJob({ jobId: "job_1", credits: {} }),
      `${idIs}Expected a string, got an object: pass its \`jobId\`.`,
    ],
    [
      (client) => client.waitForJob({ id: "job_1", status: "queued" }),
      `${idIs}Expected a string, got an object: pass its \`id\`.`,
    ],
    [
      (client) => client.waitForJob(Promise.resolve("job_1")),
      `${idIs}Expected a string, got a Promise: await it first.`,
    ],
    [(client) => client.waitForJob(), `${idIs}Expected a string, got undefined.`],
    [
      (client) => client.waitForJob(""),
      'getJob was not sent: id: Expected a string that is not empty, "." or "..".',
    ],
    [
      (client) => client.waitForJob(".."),
      'getJob was not sent: id: Expected a string that is not empty, "." or "..".',
    ],
    [(client) => client.waitForJob(7), `${idIs}Expected a string, got a number.`],
    [(client) => client.waitForJob(["job_1"]), `${idIs}Expected a string, got an array.`],
    [
      (client) => client.jobs.get({ jobId: "job_1" }),
      `${idIs}Expected a string, got an object: pass its \`jobId\`.`,
    ],
    [(client) => client.jobs.get(null), `${idIs}Expected a string, got null.`],
    [
      (client) => client.watchJob({ jobId: "job_1" }),
      `${idIs}Expected a string, got an object: pass its \`jobId\`.`,
    ],
    [
      (client) => client.waitForJob("job_1", 5000),
      "Expected the options of `waitForJob` to be an object such as `{ timeoutMs }`, got 5000.",
    ],
    [
      (client) => client.waitForJob("job_1", new AbortController().signal),
      "Expected the options of `waitForJob` to be an object such as `{ signal }`, got an AbortSignal.",
    ],
    [
      (client) => client.waitForJob("job_1", () => {}),
      "Expected the options of `waitForJob` to be an object, got a function.",
    ],
    [
      (client) => client.waitForJob("job_1", { timeout: 5 }),
      "`waitForJob` has no option `timeout`. Did you mean `timeoutMs`?",
    ],
    [
      (client) => client.waitForJob("job_1", { interval: 5 }),
      "`waitForJob` has no option `interval`. It takes `signal`, `timeoutMs`, `maxRetries`, `headers`, `onResponse`, `minDelayMs`, `maxDelayMs`, `onUpdate`.",
    ],
    [
      (client) => client.waitForJob("job_1", { onProgress: 5 }),
      "`waitForJob` has no option `onProgress`. It takes `signal`, `timeoutMs`, `maxRetries`, `headers`, `onResponse`, `minDelayMs`, `maxDelayMs`, `onUpdate`.",
    ],
    [
      (client) => client.waitForJob("job_1", { onAccepted: 5 }),
      "`waitForJob` has no option `onAccepted`. It takes `signal`, `timeoutMs`, `maxRetries`, `headers`, `onResponse`, `minDelayMs`, `maxDelayMs`, `onUpdate`.",
    ],
    [
      (client) => client.waitForJob("job_1", { maxDelay: 5 }),
      "`waitForJob` has no option `maxDelay`. Did you mean `maxDelayMs`?",
    ],
    [
      (client) => client.waitForJob("job_1", { minDelayMs: 10, maxDelayMs: 5 }),
      "Expected `minDelayMs` to be at most `maxDelayMs`, got 10 and 5.",
    ],
    [
      (client) => client.waitForJob("job_1", { timeoutMs: NaN }),
      "Expected `timeoutMs` to be a number of milliseconds, 0 or more, got NaN.",
    ],
    [
      (client) => client.waitForJob("job_1", { timeoutMs: "5s" }),
      "Expected `timeoutMs` to be a number of milliseconds, 0 or more, got a string.",
    ],
    [
      (client) => client.waitForJob("job_1", { signal: new AbortController() }),
      "Expected `signal` to be an AbortSignal, got an AbortController. Pass its `signal`.",
    ],
    [
      (client) => client.waitForJob("job_1", { onUpdate: true }),
      "Expected `onUpdate` to be a function, got a boolean.",
    ],
    [
      (client) => client.waitForJob("job_1", { maxRetries: -1 }),
      "Expected `maxRetries` to be a non-negative integer, got -1.",
    ],
    [
      (client) => client.watchJob("job_1", 5000),
      "Expected the options of `watchJob` to be an object such as `{ timeoutMs }`, got 5000.",
    ],
    [(client) => client.apps.create(), "createApp was not sent: Expected an object, got undefined."],
    [
      (client) => client.apps.create(listing.iosUrl),
      "createApp was not sent: Expected an object, got a string.",
    ],
    [(client) => client.apps.create({}), "createApp was not sent: Expected iosUrl, androidUrl or both."],
    [
      (client) => client.apps.create({ url: listing.iosUrl }),
      `createApp was not sent: ${appTakesMore ? "" : "Expected no url; "}Expected iosUrl, androidUrl or both.`,
    ],
    [
      (client) => client.apps.create({ iosURL: listing.iosUrl }),
      `createApp was not sent: ${appTakesMore ? "" : "Expected no iosURL; "}Expected iosUrl, androidUrl or both.`,
    ],
    [
      (client) => client.apps.create({ iosUrl: "" }),
      "createApp was not sent: iosUrl: Expected at least 1 character, got 0.",
    ],
    [
      (client) => client.apps.create({ iosUrl: new URL(listing.iosUrl) }),
      "createApp was not sent: iosUrl: Expected a string, got a URL.",
    ],
    [
      (client) => client.apps.create({ iosUrl: null }),
      "createApp was not sent: iosUrl: Expected a string, got null.",
    ],
    [
      (client) => client.apps.create({ ...listing, extraContext: "x".repeat(2001) }),
      "createApp was not sent: extraContext: Expected at most 2000 characters, got 2001.",
    ],
    [
      (client) => client.apps.create(listing, new AbortController().signal),
      "Expected the options of `createApp` to be an object such as `{ signal }`, got an AbortSignal.",
    ],
    [
      (client) => client.apps.create(listing, { retry: 1 }),
      "`createApp` has no option `retry`. It takes `signal`, `timeoutMs`, `maxRetries`, `headers`, `onResponse`.",
    ],
    [
      (client) => client.apps.create(listing, { timeoutMS: 1 }),
      "`createApp` has no option `timeoutMS`. Did you mean `timeoutMs`?",
    ],
    [(client) => client.screenshots.create(), `${setIs}Expected an object, got undefined.`],
    [
      (client) => client.screenshots.create({ appId: "app_1", name: "x", category: "", artworkUrl: "" }),
      `${setIs}device: Expected "iphone-69", "iphone-67", "iphone-65", "ipad-pro", "android-phone" or "android-tablet"${setTakesMore ? "" : "; Expected no name, category, artworkUrl"}.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, appId: { appId: "app_1" } }),
      `${setIs}appId: Expected a string, got an object: pass its \`appId\`.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, appId: Promise.resolve("x") }),
      `${setIs}appId: Expected a string, got a Promise: await it first.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, appId: undefined }),
      `${setIs}appId: Expected a string, got undefined.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, appId: "" }),
      `${setIs}appId: Expected at least 1 character, got 0.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, device: "iPhone-69" }),
      'createScreenshots was not sent: device: Expected "iphone-69", "iphone-67", "iphone-65", "ipad-pro", "android-phone" or "android-tablet".',
    ],
    [
      (client) => client.screenshots.create({ appId: "app_1" }),
      'createScreenshots was not sent: device: Expected "iphone-69", "iphone-67", "iphone-65", "ipad-pro", "android-phone" or "android-tablet".',
    ],
    [
      (client) => client.screenshots.create({ ...params, device: ["iphone-69"] }),
      'createScreenshots was not sent: device: Expected "iphone-69", "iphone-67", "iphone-65", "ipad-pro", "android-phone" or "android-tablet".',
    ],
    [
      (client) => client.screenshots.create({ ...params, count: "3" }),
      `${setIs}count: Expected a number, got a string.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, count: NaN }),
      `${setIs}count: Expected a number, got NaN.`,
    ],
    [(client) => client.screenshots.create({ ...params, count: 0 }), `${setIs}count: Expected at least 1.`],
    [(client) => client.screenshots.create({ ...params, count: 11 }), `${setIs}count: Expected at most 10.`],
    [(client) => client.screenshots.create({ ...params, count: 2.5 }), `${setIs}count: Expected an integer.`],
    [
      (client) => client.screenshots.create({ ...params, count: null }),
      `${setIs}count: Expected a number, got null.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, captionLength: "medium" }),
      'createScreenshots was not sent: captionLength: Expected "short" or "long".',
    ],
    [
      (client) => client.screenshots.create({ ...params, captionStyle: 7 }),
      `${setIs}captionStyle: Expected a string, got a number.`,
    ],
    [
      (client) => {
        const x: Any = { ...params };
        x.me = x;
        return client.screenshots.create(x);
      },
      `${setIs}Expected ${setTakesMore ? "what JSON can hold" : "no me"}.`,
    ],
    [
      (client) => client.screenshots.create({ ...params, count: 3n }),
      `${setIs}count: Expected a number, got a bigint.`,
    ],
    [
      (client) => client.screenshots.createAndWait(params, { onAccepted: "x" }),
      "Expected `onAccepted` to be a function, got a string.",
    ],
    [
      (client) => client.screenshots.createAndWait(params, { onAccept: () => {} }),
      "`createAndWait` has no option `onAccept`. Did you mean `onAccepted`?",
    ],
    [
      (client) => client.screenshots.createAndWait(params, 5),
      "Expected the options of `createAndWait` to be an object such as `{ timeoutMs }`, got 5.",
    ],
    [
      (client) => client.request("get", "/public/v1/jobs/{id}", { params: { path: { id: "1" } } }),
      noOperation,
    ],
    [(client) => client.request("GET", "/public/v1/jobs/job_1"), noOperation],
    [(client) => client.request("GET", "https://evil.example/"), noOperation],
    [(client) => client.request("GET", "/public/v1/jobs/{id}"), `${idIs}Expected a string, got undefined.`],
    [
      (client) => client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: "1" } }, body: {} }),
      "getJob was not sent: Expected no body.",
    ],
    [
      (client) => client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: "1" } } }, 5),
      "Expected the options of `getJob` to be an object such as `{ timeoutMs }`, got 5.",
    ],
    [
      async (client) => client.withOptions({ timeout: 5 }),
      "`withOptions` has no option `timeout`. Did you mean `timeoutMs`?",
    ],
    [
      async (client) => client.withOptions(5),
      "Expected the options of `withOptions` to be an object such as `{ timeoutMs }`, got 5.",
    ],
    [
      async (client) =>
        client
          .withOptions({
            apiKey: () => {
              throw new Error("vault");
            },
          })
          .jobs.get("1"),
      "Failed to get the API key: the `apiKey` function threw.",
    ],
    [
      async (client) => client.withOptions({ apiKey: () => undefined }).jobs.get("1"),
      "Expected what the `apiKey` function returns to be an API key of visible ASCII characters, got undefined.",
    ],
    [
      async (client) => client.withOptions({ apiKey: () => `${secret}\n` }).jobs.get("1"),
      "Expected what the `apiKey` function returns to be an API key of visible ASCII characters, but it ends in a line break, as texts from files do: trim it.",
    ],
    [
      () => pollDelayMs(1000, { minDelay: 5 } as Any),
      "`pollDelayMs` has no option `minDelay`. Did you mean `minDelayMs`?",
    ],
    [() => pollDelayMs(1000, 5 as Any), "Expected the options of `pollDelayMs` to be an object, got 5."],
    [
      () => pollDelayMs(Number.NaN),
      "Expected `elapsedMs` to be a number of milliseconds, 0 or more, got NaN.",
    ],
  ];
  test.each(calls)("%s", async (call, message) => {
    const { client, mock } = start();
    expectToTell(await rejection((async () => call(client))()), message);
    expect(mock.requests()).toEqual([]);
  });
});

describe("what another server answers is told with the base URL in doubt:", () => {
  const calls: [call: (client: Any) => unknown, message: string][] = [
    [
      async (client) => client.withOptions({ fetch: async () => undefined }).jobs.get("1"),
      "getJob failed: no answer (Expected `fetch` to return a Response with a status and a body to read).",
    ],
    [
      async (client) =>
        client.withOptions({ fetch: async () => new Response("<!doctype html>") }).apps.create(listing),
      "createApp was answered 200 with a body that is not JSON but a web page. Is the base URL right? The service may have accepted and charged it: check the credits before you send it again.",
    ],
    [
      async (client) => client.withOptions({ fetch: async () => new Response("<html>") }).jobs.get("1"),
      "getJob was answered 200 with a body that is not JSON but a web page. Is the base URL right?",
    ],
  ];
  test.each(calls)("%s", async (call, message) => {
    const { client } = start();
    expectToTell(await rejection((async () => call(client.withOptions({ maxRetries: 0 })))()), message);
  });
});

test("a parameter that the document does not have is told in a warning with the one meant, and sent if it may be", async () => {
  const { client, mock, warnings } = start();
  const created = client.apps.create({ ...listing, extracontext: "games" });
  await (appTakesMore ? created : rejection(created));
  expect(warnings).toEqual(["`createApp` has no parameter `extracontext`. Did you mean `extraContext`?"]);
  const sent = { body: { extracontext: "games" } };
  expect(mock.requests()).toMatchObject(appTakesMore ? [sent] : []);
  await rejection(client.apps.create({ url: listing.iosUrl }));
  expect(warnings[1]).toBe("`createApp` has no parameter `url`. Did you mean `iosUrl`?");
});
