import { ConfigurationError, devices, pollDelayMs, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test, vi } from "vitest";
import { type Any, address, expectToTell, secret } from "./helpers/expect-to-tell.js";
import { rejection } from "./helpers/rejection.js";

// What people call by mistake, and what it says.

const params = { appId: "app_1", device: "iphone-69" } as const;
const listing = { iosUrl: "https://apps.apple.com/us/app/x/id1" };

/** A client on a mock, and what it warns of. */
function start() {
  const mock = createMock({ apiKey: secret, baseUrl: address });
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const logger = { debug() {}, info() {}, warn, error: warn };
  return { mock, warnings, client: new ScreenshotSets({ ...mock.clientOptions, logger }) as Any };
}

const get = (id: unknown) => (client: Any) => client.jobs.get(id);
const app = (given: unknown) => (client: Any) => client.apps.create(given);
const set = (given: unknown) => (client: Any) => client.screenshots.create(given);
const isId = "getJob was not sent: id: Expected a string";
const noId = `${isId} that is not empty, "." or "..".`;
const isApp = "createApp was not sent: ";
const isSet = "createScreenshots was not sent: ";
const aDevice = `${isSet}device: Expected "iphone-69", "iphone-67", "iphone-65", "ipad-pro", "android-phone" or "android-tablet".`;
const tooLong = `${isApp}extraContext: Expected at most 2000 characters, got 2001.`;
const noObject = `${isSet}appId: Expected a string, got an object: pass its \`appId\`.`;
const severalIssues = `${isSet}appId: Expected at least 1 character, got 0; count: Expected an integer.`;

/** Calls whose parameters break the document's constraints. */
const invalid: [message: string, call: (client: Any) => unknown][] = [
  [`${isId}, got an object: pass its \`jobId\`.`, get({ jobId: "job_1", credits: {} })],
  [`${isId}, got an object: pass its \`id\`.`, get({ id: "job_1", status: "queued" })],
  [`${isId}, got a Promise: await it first.`, get(Promise.resolve("job_1"))],
  [`${isId}, got a number.`, (client) => client.waitForJob(7)],
  [noId, get("")],
  [noId, (client) => client.watchJob(".")],
  [noId, (client) => client.waitForJob("..")],
  [`${isApp}Expected an object, got undefined.`, app(undefined)],
  [`${isApp}Expected an object, got a string.`, app(listing.iosUrl)],
  [`${isApp}Expected iosUrl, androidUrl or both.`, app({})],
  [`${isApp}iosUrl: Expected at least 1 character, got 0.`, app({ iosUrl: "" })],
  [`${isApp}iosUrl: Expected a string, got a URL.`, app({ iosUrl: new URL(listing.iosUrl) })],
  [tooLong, app({ ...listing, extraContext: "é".repeat(2001) })],
  [`${isSet}Expected an object, got undefined.`, set(undefined)],
  [noObject, set({ ...params, appId: { appId: "app_1" } })],
  [`${isSet}appId: Expected a string, got undefined.`, set({ device: "iphone-69" })],
  [aDevice, set({ ...params, device: "iPhone-69" })],
  [aDevice, (client) => client.screenshots.createAndWait({ appId: "app_1" })],
  [`${isSet}count: Expected a number, got a string.`, set({ ...params, count: "3" })],
  [`${isSet}count: Expected at least 1.`, set({ ...params, count: 0 })],
  [`${isSet}count: Expected at most 10.`, set({ ...params, count: 11 })],
  [`${isSet}captionLength: Expected "short" or "long".`, set({ ...params, captionLength: "medium" })],
  [`${isSet}Expected what a request can hold.`, set({ ...params, more: 1n })],
  [severalIssues, set({ ...params, appId: "", count: 1.5 })],
];

const request = "It takes `signal`, `timeoutMs`, `maxRetries`, `headers`, `onResponse`";
const waits = `${request}, \`minDelayMs\`, \`maxDelayMs\`, \`onUpdate\`.`;
const isSignal = "Expected `signal` to be an AbortSignal";
const isMs = "Expected `timeoutMs` to be a number of milliseconds, 0 or more";

/** Options that every call refuses. */
const options: [options: unknown, message: string][] = [
  [5000, "Expected the options of `<taker>` to be an object such as `{ timeoutMs }`, got 5000."],
  [
    new AbortController().signal,
    "Expected the options of `<taker>` to be an object such as `{ signal }`, got an AbortSignal.",
  ],
  [() => {}, "Expected the options of `<taker>` to be an object, got a function."],
  [{ timeout: 5 }, "`<taker>` has no option `timeout`. Did you mean `timeoutMs`?"],
  [{ interval: 5 }, `\`<taker>\` has no option \`interval\`. ${request}`],
  [{ signal: new AbortController() }, `${isSignal}, got an AbortController. Pass its \`signal\`.`],
  [{ signal: { aborted: false } }, `${isSignal}, got an object.`],
  [{ timeoutMs: Number.NaN }, `${isMs}, got NaN.`],
  [{ timeoutMs: "5s" }, `${isMs}, got a string.`],
  [{ maxRetries: -1 }, "Expected `maxRetries` to be a non-negative integer, got -1."],
  [{ onResponse: "log" }, "Expected `onResponse` to be a function, got a string."],
  [{ headers: "x: y" }, "Expected `headers` to be an object of names and values, got a string."],
  [{ headers: { Host: "x" } }, "Refused `host` among `headers`: it is the connection's."],
];

const takers: [taker: string, call: (client: Any, options: unknown) => unknown][] = [
  ["createApp", (client, own) => client.apps.create(listing, own)],
  ["createScreenshots", (client, own) => client.screenshots.create(params, own)],
  ["createAndWait", (client, own) => client.screenshots.createAndWait(params, own)],
  ["getJob", (client, own) => client.jobs.get("job_1", own)],
  ["waitForJob", (client, own) => client.waitForJob("job_1", own)],
  ["watchJob", (client, own) => client.watchJob("job_1", own)],
  ["GET /new", (client, own) => client.request("GET", "/new", {}, own)],
];

const wait = (own: object) => (client: Any) => client.waitForJob("job_1", own);
const plan = (own: object) => (client: Any) => client.screenshots.createAndWait(params, own);
const ask = (init: object | number | null) => (client: Any) => client.request("GET", "/new", init);
const withOptions = (own: unknown) => (client: Any) => client.withOptions(own);
const withKey = (apiKey: unknown) => (client: Any) => client.withOptions({ apiKey }).jobs.get("1");
const isInput = "Expected the input of `request` to be an object such as `{ params, body }`, got";
const isKey = "Expected what the `apiKey` function returns to be an API key of visible ASCII characters";
const minDelay = { minDelay: 5 } as object;

const misused: [message: string, call: (client: Any) => unknown][] = [
  [`\`waitForJob\` has no option \`onAccepted\`. ${waits}`, wait({ onAccepted() {} })],
  ["`waitForJob` has no option `maxDelay`. Did you mean `maxDelayMs`?", wait({ maxDelay: 5 })],
  [
    "Expected `minDelayMs` to be at most `maxDelayMs`, got 10 and 5.",
    wait({ minDelayMs: 10, maxDelayMs: 5 }),
  ],
  ["Expected `onUpdate` to be a function, got a boolean.", wait({ onUpdate: true })],
  ["Expected `onAccepted` to be a function, got a string.", plan({ onAccepted: "x" })],
  ["The input of `request` has no field `headers`. It takes `params`, `body`.", ask({ headers: {} })],
  [`${isInput} an AbortSignal.`, ask(AbortSignal.abort())],
  [`${isInput} 5.`, ask(5)],
  [`${isInput} null.`, ask(null)],
  ["Expected the options of `withOptions` to be an object such as `{ timeoutMs }`, got 5.", withOptions(5)],
  [`${isKey}, got undefined.`, withKey(() => undefined)],
  [`${isKey}, but it ends in a line break, as texts from files do: trim it.`, withKey(() => `${secret}\n`)],
  ["`pollDelayMs` has no option `minDelay`. Did you mean `minDelayMs`?", () => pollDelayMs(1000, minDelay)],
  ["Expected the options of `pollDelayMs` to be an object, got 5.", () => pollDelayMs(1000, 5 as Any)],
  ["Expected `elapsedMs` to be a number of milliseconds, 0 or more, got NaN.", () => pollDelayMs(Number.NaN)],
];

describe("before anything is sent, a call is refused:", () => {
  const refused = async (call: (client: Any) => unknown) => {
    const { client, mock } = start();
    const error = await rejection((async () => call(client))());
    expect(mock.requests()).toEqual([]);
    expect(error.charged).toBe("no");
    return error;
  };

  test.each(invalid)("%s", async (message, call) => {
    const error = await refused(call);
    expectToTell(error, message);
    expect(error).toMatchObject({ name: "InvalidRequestError", jobId: undefined });
    const issues = error.issues.map((issue: Any) => (issue.path ? `${issue.path}: ` : "") + issue.message);
    expect(message).toContain(` was not sent: ${issues.join("; ")}.`);
  });

  test.each(misused)("%s", async (message, call) => {
    const error = await refused(call);
    expectToTell(error, message);
    expect(error).toBeInstanceOf(ConfigurationError);
  });

  test.each(takers)("options of %s", async (taker, call) => {
    for (const [given, message] of options) {
      const error = await refused((client) => call(client, given));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain(message.replace("<taker>", taker));
    }
  });
});

test("null stands for no options, in every call", async () => {
  const { client } = start();
  const { appId } = await client.apps.create(listing, null);
  const { jobId } = await client.screenshots.create({ ...params, appId }, null);
  expect(await client.jobs.get(jobId, null)).toMatchObject({ status: "queued" });
  expect(await client.waitForJob(jobId, null)).toMatchObject({ status: "succeeded" });
  expect(await client.screenshots.createAndWait({ ...params, appId }, null)).toHaveProperty("credits");
  expect(pollDelayMs(1000, null as Any)).toBe(pollDelayMs(1000));
});

test("what is just within the limits is taken", async () => {
  const { client } = start();
  const { appId } = await client.apps.create({ ...listing, extraContext: "🎉".repeat(2000) });
  for (const count of [1, 10]) {
    const set = { appId, device: devices[0], count, captionStyle: "any" };
    expect(await client.screenshots.create(set)).toHaveProperty("jobId");
  }
});

test("a parameter that the document does not have is told in a warning with the one meant", async () => {
  const { client, mock, warnings } = start();
  const isTaken = await client.apps.create({ ...listing, extracontext: "games" }).then(Boolean, () => false);
  expect(warnings).toEqual(["`createApp` has no parameter `extracontext`. Did you mean `extraContext`?"]);
  // A document may forbid what it does not name.
  expect(mock.requests()).toMatchObject(isTaken ? [{ body: { extracontext: "games" } }] : []);
});

const needed = ["FormData", "Headers", "TextDecoder", "fetch"];
test.each(needed)("nothing is sent where the platform has no %s", async (name) => {
  const fetch = vi.fn();
  const given = name === "fetch" ? {} : { fetch };
  const client = new ScreenshotSets({ apiKey: secret, baseUrl: address, ...given });
  vi.stubGlobal(name, undefined);
  const error = await rejection(client.apps.create(listing));
  vi.unstubAllGlobals();
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain(`Expected \`${name}\` among the globals`);
  expect(fetch).not.toHaveBeenCalled();
});
