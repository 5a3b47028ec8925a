import { gzipSync } from "node:zlib";
import { InvalidResponseError, ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { apiKey, goodBody, type Method, outcomeOf } from "../helpers/outcome-of.js";
import { type Answer, rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";

const baseUrl = "https://example.com/api/v1";
const good = JSON.stringify(goodBody);
const odd = JSON.stringify({ ...goodBody, name: "é🎉" });
const succeeded = { ...goodBody, status: "succeeded", result: { device: "iphone-69", slides: [] } };

/** How a call ends that is answered with this body. */
const answered = (method: Method, body: string | object, status = 200) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return outcomeOf(method, { baseUrl, fetch: async () => new Response(text || null, { status }) });
};

/** Answers that are no result for either call, with what the error holds of them, and its words. */
const invalid: [what: string, text: string, body: unknown, words: RegExp][] = [
  ["a page", "\n <html>Hi</html>", "\n <html>Hi</html>", /JSON but a web page\. Is the base URL right\?/],
  ["text that is no page", "1 < 2", "1 < 2", /a body that is not JSON(\.|$)/],
  ["nothing", "", undefined, /an empty body/],
  ["JSON that is cut off", '{"id":"job-1","sta', '{"id":"job-1","sta', /not JSON/],
  ["null", "null", null, /Expected an object, got null/],
  ["an array", `[${good}]`, [goodBody], /Expected an object, got an array/],
  ["brackets nested deep", "[".repeat(50_000) + "]".repeat(50_000), expect.anything(), /Expected an object/],
];

describe.each(["GET", "POST"] as const)("a %s", (method) => {
  test.each(invalid)("is no success with %s", async (_, text, body, words) => {
    const status = text ? 200 : 204;
    const { error, elapsedMs } = await answered(method, text, status);
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error).toMatchObject({ status, charged: method === "GET" ? "no" : "maybe" });
    expect(error.body).toEqual(body);
    expect(error.message).toMatch(words);
    expect(error.issues[0]).toEqual({ path: "", message: expect.stringMatching(words) });
    expect(elapsedMs).toBe(0);
  });

  test.each<[what: string, answer: Answer]>([
    ["calls itself HTML", reply(200, odd, { "content-type": "text/html" })],
    ["begins with a byte order mark", reply(200, `\ufeff${odd}`)],
    ["is compressed", reply(200, gzipSync(odd), { "content-encoding": "gzip" })],
  ])("takes an answer that %s", async (_, answer) => {
    const server = await rawServer(answer);
    expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(JSON.parse(odd));
  });

  test("takes an answer whose chunks split characters", async () => {
    const start = (controller: ReadableStreamDefaultController) => {
      for (const byte of Buffer.from(odd)) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    };
    const fetch = async () => new Response(new ReadableStream({ start }));
    expect((await outcomeOf(method, { baseUrl, fetch })).value).toEqual(JSON.parse(odd));
  });

  test.each([undefined, {}])(
    "takes an answer without a stream, as polyfills of fetch give it: %j",
    async (body) => {
      const { status, headers, redirected } = Response.json(goodBody);
      const answer = { status, headers, redirected, body, text: async () => good };
      const fetch = async () => answer as unknown as Response;
      expect((await outcomeOf(method, { baseUrl, fetch })).value).toEqual(goodBody);
    },
  );
});

const isOther = "Expected the id of the job that was asked for";
const isNoResult = "Expected the result of a job that succeeded";
const isText = "Expected a string that is not empty";
/** What of an answer the SDK does need. */
const needed: [method: Method, more: object, path: string, message: string][] = [
  ["GET", { id: "job-2" }, "id", isOther],
  ["GET", { id: [] }, "id", "Expected a string, got an array"],
  ["GET", { status: undefined }, "status", "Expected a string, got undefined"],
  ["GET", { ...succeeded, result: null }, "result", isNoResult],
  ["GET", { ...succeeded, result: [] }, "result", isNoResult],
  ["POST", { jobId: "" }, "jobId", isText],
  ["POST", { jobId: {} }, "jobId", "Expected a string, got an object"],
];

test.each(needed)("a %s is no success with %j", async (method, more, path, message) => {
  const { error } = await answered(method, { ...goodBody, ...more });
  expect(error.constructor).toBe(InvalidResponseError);
  const known = method === "GET" ? { charged: "no", jobId: "job-1" } : { charged: "maybe", jobId: undefined };
  expect(error).toMatchObject({ status: 200, ...known });
  expect(error.issues).toContainEqual({ path, message });
});

test("an app needs an appId that is not empty", async () => {
  const { apps } = new ScreenshotSets({ apiKey, baseUrl, fetch: async () => Response.json({ appId: "" }) });
  const error = await rejection(apps.create({ iosUrl: "https://apps.apple.com/app/id1" }));
  expect(error).toMatchObject({ name: "InvalidResponseError", charged: "maybe" });
  expect(error.issues).toContainEqual({ path: "appId", message: isText });
});

describe("the job id of an acceptance that has none of its own", () => {
  test.each([
    ["in an envelope", '{"data":{"jobId" \n:\t "job-7"}}', "job-7"],
    ["in text that is cut off after it", '{"jobId":"job-7","cre', "job-7"],
    ["with characters that are escaped", '{"jobId":"job\\u002d7","cre', "job-7"],
    ["as a number", '{"jobId":7}', "7"],
    ["as a string, though a number comes first", '{"a":{"jobId":8},"b":{"jobId":"job-7"}}', "job-7"],
  ])("is found %s", async (_, text, id) => {
    const { error } = await answered("POST", text);
    expect(error).toMatchObject({ name: "InvalidResponseError", charged: "maybe", jobId: id });
    expect(error.message).toContain(`The answer names job ${id}, `);
  });

  test.each([
    '{"data":{"jobId":true}}',
    '{"jobId":7',
    '{"jobId":"job-',
    '{"jobId":"job\\x7","cre',
    '{"data":{"jobIds":"job-7"}}',
    `{"jobId":"${"\\n".repeat(1_000_000)}`,
    '"jobId":['.repeat(500_000),
  ])("is not found in %.40s", async (text) => {
    expect((await answered("POST", text)).error.jobId).toBeUndefined();
  });
});

test.each([200, 404])("a read's error is about the job that was asked for: %s", async (status) => {
  const body = { jobId: "job-7", message: 'Not yet: "jobId":"job-8"' };
  expect((await answered("GET", body, status)).error.jobId).toBe("job-1");
});
