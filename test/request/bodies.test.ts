import { gzipSync } from "node:zlib";
import { InvalidResponseError, ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { apiKey, goodBody, type Method, outcomeOf } from "../helpers/outcome-of.js";
import { head, rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";

const baseUrl = "https://example.com/api/v1";
const good = JSON.stringify(goodBody);
const slide = { any: 1 };
const succeeded = { ...goodBody, status: "succeeded", result: { device: "iphone-69", slides: [slide] } };

/** How a call ends that is answered 200 with this body. */
const answered = (method: Method, body: string | object) =>
  outcomeOf(method, {
    baseUrl,
    fetch: async () => new Response(typeof body === "string" ? body : JSON.stringify(body)),
  });

/** Answers that are no result for either call, with what the error holds of them, and its words. */
const invalid: [what: string, text: string, body: unknown, words: RegExp][] = [
  ["a page", "\n <html>Hi</html>", "\n <html>Hi</html>", /JSON but a web page\. Is the base URL right\?/],
  ["text that is no page", "1 < 2", "1 < 2", /a body that is not JSON\.( |$)/],
  ["nothing", "", undefined, /an empty body/],
  ["white space", " \r\n ", undefined, /an empty body/],
  ["JSON that is cut off", '{"id":"job-1","sta', '{"id":"job-1","sta', /not JSON/],
  ["null", "null", null, /Expected an object, got null/],
  ["an array", `[${good}]`, [goodBody], /Expected an object, got an array/],
  ["a string", '"job-1"', "job-1", /Expected an object, got a string/],
  ["an empty object", "{}", {}, /document: (id|jobId): Expected a string, got undefined/],
  ["a prototype for a result", `{"__proto__":${good}}`, expect.anything(), /Expected/],
  ["brackets nested deep", "[".repeat(50_000) + "]".repeat(50_000), expect.anything(), /Expected an object/],
];

describe.each(["GET", "POST"] as const)("a %s", (method) => {
  test.each(invalid)("is no success with %s", async (_, text, body, words) => {
    const { error, elapsedMs } = await answered(method, text);
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error).toMatchObject({ status: 200, charged: method === "GET" ? "no" : "maybe" });
    expect(error.body).toEqual(body);
    expect(error.message).toMatch(words);
    expect(error.issues[0]).toEqual({ path: expect.any(String), message: expect.any(String) });
    expect(elapsedMs).toBe(0);
  });

  test("is no success with a 204", async () => {
    const fetch = async () => new Response(null, { status: 204 });
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    const charged = method === "GET" ? "no" : "maybe";
    expect(error).toMatchObject({ name: "InvalidResponseError", status: 204, body: undefined, charged });
  });

  test.each([200, 202, 206, 299])("is a success with a %s", async (status) => {
    const fetch = async () => Response.json(goodBody, { status });
    expect((await outcomeOf(method, { baseUrl, fetch })).value).toEqual(goodBody);
  });

  test.each<[what: string, bytes: string | Buffer, headers: Record<string, string>]>([
    ["calls itself HTML", good, { "content-type": "text/html" }],
    ["begins with a byte order mark", `\ufeff${good}`, {}],
    ["is compressed", gzipSync(good), { "content-encoding": "gzip" }],
  ])("takes an answer that %s", async (_, bytes, headers) => {
    const server = await rawServer(reply(200, bytes, headers));
    expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(goodBody);
  });

  test.each<[what: string, before: string, body: (text: string) => string]>([
    ["after an early hint", `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${head(200)}`, (text) => text],
    ["in chunks that split characters", head(200, { "transfer-encoding": "chunked" }), inChunks],
  ])("takes an answer that comes %s", async (_, before, body) => {
    const odd = { ...goodBody, name: "é🎉" };
    const bytes = Buffer.from(JSON.stringify(odd)).toString("latin1");
    const server = await rawServer((socket) => socket.end(before + body(bytes), "latin1"));
    expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(odd);
  });

  test("takes an answer without a stream, as polyfills of fetch give it", async () => {
    const { status, headers, redirected } = Response.json(goodBody);
    const answer = { status, headers, redirected, text: async () => good };
    const fetch = async () => answer as Response;
    expect((await outcomeOf(method, { baseUrl, fetch })).value).toEqual(goodBody);
  });

  test("takes fields called __proto__ and constructor, and changes no prototype", async () => {
    const text = good.replace("{", '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},');
    const { value } = await answered(method, text);
    expect(value).toMatchObject(goodBody);
    expect((value as { polluted?: number }).polluted).toBeUndefined();
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

function inChunks(bytes: string): string {
  return `${[...bytes].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;
}

/** Differences from the document that the SDK can do without; `tomorrow.test.ts` draws more of them. */
const odd: [method: Method, more: object][] = [
  ["GET", { more: { a: [1] } }],
  ["GET", { status: "paused", error: 7 }],
  ["GET", { ...succeeded, result: { device: "iphone-99", slides: "none", more: true } }],
  ["POST", { credits: null }],
  ["POST", { credits: { cost: "10", remaining: 8.5 } }],
];

test.each(odd)("a %s passes on as it came what the SDK does not need: %j", async (method, more) => {
  const { value } = await answered(method, { ...goodBody, ...more });
  expect(value).toEqual({ ...goodBody, ...more });
});

const isOther = "Expected the id of the job that was asked for";
const isNoResult = "Expected the result of a job that succeeded";
const isText = "Expected a string that is not empty";
/** What of an answer the SDK does need. */
const needed: [method: Method, more: object, path: string, message: string][] = [
  ["GET", { id: "job-2" }, "id", isOther],
  ["GET", { ...succeeded, id: "job-2" }, "id", isOther],
  ["GET", { id: [] }, "id", "Expected a string, got an array"],
  ["GET", { status: undefined }, "status", "Expected a string, got undefined"],
  ...[null, undefined, [], "done"].map((result): [Method, object, string, string] => [
    ...(["GET", { ...succeeded, result }, "result", isNoResult] as const),
  ]),
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

test("an app needs an appId that is not empty, and nothing else", async () => {
  const create = (body: object) =>
    new ScreenshotSets({ apiKey, baseUrl, fetch: async () => Response.json(body) }).apps.create({
      iosUrl: "https://apps.apple.com/app/id1",
    });
  for (const body of [{ appId: "app-1" }, { appId: "app-1", name: "", category: 7, artworkUrl: null }]) {
    expect(await create(body)).toEqual(body);
  }
  const error = await rejection(create({ appId: "", name: "App" }));
  const issues = [{ path: "appId", message: isText }];
  expect(error).toMatchObject({ name: "InvalidResponseError", charged: "maybe", issues });
});

describe("the job id of an acceptance that has none of its own", () => {
  test.each([
    ["in an envelope", '{"data":{"jobId" \n:\t "job-7"}}', "job-7"],
    ["in a list", '[{"jobId":"job-7"}]', "job-7"],
    ["in text that is cut off after it", '{"jobId":"job-7","cre', "job-7"],
    ["with characters that are escaped", '{"jobId":"job\\u002d7","cre', "job-7"],
    ["as a number", '{"jobId":7}', "7"],
    ["as a number of more digits than JavaScript keeps", '{"jobId":90071992547409931}', "90071992547409931"],
    ["as a string, though a number comes first", '{"a":{"jobId":8},"b":{"jobId":"job-7"}}', "job-7"],
    ["at any length", JSON.stringify({ data: { jobId: "x".repeat(2000) } }), "x".repeat(2000)],
  ])("is found %s", async (_, text, id) => {
    const { error } = await answered("POST", text);
    expect(error).toMatchObject({ name: "InvalidResponseError", charged: "maybe", jobId: id });
    expect(error.message).toContain(`The service accepted job ${id.slice(0, 100)}`);
    expect(error.message.length).toBeLessThan(1000);
  });

  test.each([
    '{"data":{"jobId":true}}',
    '{"jobId":null}',
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

test.each([200, 404, 500])("a read's error is about the job that was asked for: %s", async (status) => {
  const body = { jobId: "job-7", message: 'Not yet: "jobId":"job-8"' };
  const fetch = async () => Response.json(body, { status });
  expect((await outcomeOf("GET", { baseUrl, fetch, maxRetries: 0 })).error.jobId).toBe("job-1");
});
