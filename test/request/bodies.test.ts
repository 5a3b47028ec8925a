import { gzipSync } from "node:zlib";
import { ConnectionError, InvalidResponseError, ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { apiKey, goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { head, rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";

const good = JSON.stringify(goodBody);
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(goodBody).filter(([name]) => !names.includes(name)));

/** Answers that are 2xx and no result for either call, with what the error holds of them. */
const odd: [what: string, bytes: string | Buffer, body: unknown, words: RegExp][] = [
  [
    "an HTML page",
    "<html>Welcome</html>",
    "<html>Welcome</html>",
    /not JSON but a web page\. Is the base URL right\?/,
  ],
  ["an HTML page after white space", "\n <p>", "\n <p>", /a web page/],
  ["text that is no page", "1 < 2", "1 < 2", /a body that is not JSON\.( |$)/],
  ["nothing", "", undefined, /empty body/],
  ["white space", " \r\n ", undefined, /empty body/],
  ["JSON that is cut off", '{"id":"job-1","sta', '{"id":"job-1","sta', /not JSON/],
  ["JSON and more", "{} {}", "{} {}", /not JSON/],
  ["null", "null", null, /Expected an object, got/],
  ["an array", `[${good}]`, [goodBody], /Expected an object, got/],
  ["an empty array", "[]", [], /Expected an object, got/],
  ["a string", '"job-1"', "job-1", /Expected an object, got/],
  ["a number", "7", 7, /Expected an object, got/],
  ["a boolean", "true", true, /Expected an object, got/],
  ["an empty object", "{}", {}, /Expected/],
  [
    "fields of wrong types",
    '{"id":7,"status":[],"jobId":{},"credits":"10"}',
    expect.anything(),
    /Expected an? (string|object), got/,
  ],
  [
    "a field that is missing",
    JSON.stringify(without("status", "credits")),
    without("status", "credits"),
    /status|credits/,
  ],
  ["a prototype for a result", `{"__proto__":${good}}`, expect.anything(), /Expected/],
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "{\ufffd\ufffd}", /not JSON/],
  ["UTF-16", Buffer.from(good, "utf16le"), expect.any(String), /not JSON/],
  ["brackets without end", "[".repeat(200_000), expect.any(String), /not JSON/],
  [
    "brackets nested deep",
    `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    expect.anything(),
    /Expected an object, got/,
  ],
];

describe.each(["GET", "POST"] as const)("a %s is no success with", (method) => {
  test.each(odd)("%s", async (_, bytes, body, words) => {
    const server = await rawServer(reply(200, bytes, { "content-type": "application/json" }));
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error).toMatchObject({ status: 200, charged: method === "GET" ? "no" : "maybe" });
    expect(error.body).toEqual(body);
    expect(error.message).toMatch(words);
    expect(error.issues[0]).toEqual({ path: expect.any(String), message: expect.any(String) });
    expect(server.seen).toHaveLength(1);
    expect(elapsedMs).toBe(0);
  });

  test.each([204, 205])("a %s", async (status) => {
    const server = await rawServer((socket) => socket.end(head(status)));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error).toMatchObject({ status, body: undefined, charged: method === "GET" ? "no" : "maybe" });
  });

  test.each([
    ["gzip that is cut off", gzipSync(good).subarray(0, 30)],
    ["gzip that is damaged", Buffer.from(gzipSync(good).map((byte, at) => (at > 12 ? byte ^ 0x55 : byte)))],
  ])("%s", async (_, bytes) => {
    const server = await rawServer(reply(200, bytes, { "content-encoding": "gzip" }));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect([ConnectionError, InvalidResponseError]).toContain(error.constructor);
    expect(error.charged).toBe(method === "GET" ? "no" : "maybe");
    expect(server.seen).toHaveLength(method === "GET" && error instanceof ConnectionError ? 3 : 1);
  });
});

describe.each(["GET", "POST"] as const)("a %s takes", (method) => {
  const fine: [what: string, bytes: string | Buffer, headers: Record<string, string>, value: unknown][] = [
    ["an answer that calls itself HTML", good, { "content-type": "text/html" }, goodBody],
    [
      "unknown fields",
      JSON.stringify({ ...goodBody, more: { a: [1] } }),
      {},
      { ...goodBody, more: { a: [1] } },
    ],
    [
      "an unknown status",
      JSON.stringify({ ...goodBody, status: "paused" }),
      {},
      { ...goodBody, status: "paused" },
    ],
    ["a byte order mark", `\ufeff${good}`, {}, goodBody],
    ["gzip", gzipSync(good), { "content-encoding": "gzip" }, goodBody],
    [
      "characters beyond ASCII",
      JSON.stringify({ ...goodBody, name: "é🎉" }),
      {},
      { ...goodBody, name: "é🎉" },
    ],
  ];
  test.each(fine)("%s", async (_, bytes, headers, expected) => {
    const server = await rawServer(reply(200, bytes, headers));
    const { value, error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error).toBeUndefined();
    expect(value).toEqual(expected);
  });

  test.each([200, 201, 202, 203, 206, 226, 299])("a valid body with %s", async (status) => {
    const server = await rawServer(reply(status, goodBody));
    expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(goodBody);
  });

  test("an unknown field that is nested deep, as it came", async () => {
    const depth = 3000;
    const deep = `${"[".repeat(depth)}"\\n"${"]".repeat(depth)}`;
    const server = await rawServer(reply(200, good.replace(/^{/, `{"deep":${deep},`)));
    const { value } = await outcomeOf(method, { baseUrl: server.baseUrl });
    let { deep: inner } = value as { deep: unknown };
    let found = 0;
    for (; Array.isArray(inner); found++) inner = inner[0];
    expect([found, inner]).toEqual([depth, "\n"]);
  });

  test("fields called __proto__ and constructor, and changes no prototype", async () => {
    const text = good.replace(
      /^{/,
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,',
    );
    const server = await rawServer(reply(200, text));
    const { value, error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error).toBeUndefined();
    expect(value).toMatchObject({ ...goodBody, toString: 1 });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((value as { polluted?: number }).polluted).toBeUndefined();
  });

  test("a character that is split between two chunks", async () => {
    const bytes = Buffer.from(JSON.stringify({ ...goodBody, name: "é🎉" }));
    const fetch = async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
      );
    const { value } = await outcomeOf(method, { baseUrl: "https://example.com/", fetch });
    expect(value).toEqual({ ...goodBody, name: "é🎉" });
  });
});

test.each(["iphone-99", "", "🎉"])("keeps the unknown device %j of a result as it came", async (device) => {
  const job = { ...goodBody, status: "succeeded", result: { device, slides: [{ any: 1 }], more: true } };
  const server = await rawServer(reply(200, job));
  const { value } = await outcomeOf("GET", { baseUrl: server.baseUrl });
  expect(value).toEqual(job);
});

test.each([null, undefined])("a job that succeeded with a result of %s is not valid", async (result) => {
  const server = await rawServer(reply(200, { ...goodBody, status: "succeeded", result }));
  const { error } = await outcomeOf("GET", { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(InvalidResponseError);
  expect(error.issues).toContainEqual(expect.objectContaining({ path: "result" }));
});

test("an acceptance with an empty jobId is not valid, as nobody can ask for that job", async () => {
  const server = await rawServer(reply(201, { ...goodBody, jobId: "" }));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(InvalidResponseError);
  expect(error).toMatchObject({ status: 201, charged: "maybe", jobId: undefined });
  expect(error.issues).toEqual([{ path: "jobId", message: "Expected a string that is not empty" }]);
  expect(server.seen).toHaveLength(1);
});

test("an app with an empty appId is not valid, as no set can be made of it; other fields may be empty", async () => {
  const create = (appId: string) =>
    new ScreenshotSets({
      apiKey,
      baseUrl: "https://api.example.com/api/v1",
      fetch: async () => Response.json({ appId, name: "", category: "", artworkUrl: "" }),
    }).apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  await expect(create("app-1")).resolves.toEqual({ appId: "app-1", name: "", category: "", artworkUrl: "" });
  const error = await rejection(create(""));
  expect(error).toBeInstanceOf(InvalidResponseError);
  expect(error).toMatchObject({ status: 200, charged: "maybe", issues: [{ path: "appId" }] });
});

/** An acceptance whose credits are odd: paid for, so its job id is never lost. */
const oddCredits = [
  undefined,
  null,
  {},
  7,
  "10",
  [],
  { cost: "10", remaining: 90 },
  { cost: 10 },
  { cost: true, remaining: 1 },
];
test.each(oddCredits)("a 201 with a good jobId and credits of %j carries the jobId", async (credits) => {
  const server = await rawServer(reply(201, { jobId: "job-7", credits }));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(InvalidResponseError);
  expect(error).toMatchObject({ status: 201, charged: "maybe", jobId: "job-7" });
  expect(error.issues[0].path).toMatch(/^credits/);
  expect(error.message).toContain("job-7");
  expect(server.seen).toHaveLength(1);
});

test.each([
  ["in an envelope", { data: { jobId: "job-7" } }],
  ["in a list", [{ jobId: "job-7" }]],
])("finds the job id of an acceptance %s", async (_, body) => {
  const server = await rawServer(reply(201, body));
  expect((await outcomeOf("POST", { baseUrl: server.baseUrl })).error.jobId).toBe("job-7");
});

test.each([{ jobId: true }, { jobId: "" }, { jobId: null }, "jobId", null])(
  "finds no job id in %j",
  async (body) => {
    const server = await rawServer(reply(201, body));
    expect((await outcomeOf("POST", { baseUrl: server.baseUrl })).error?.jobId).toBeUndefined();
  },
);

test.each([200, 404, 500])("a read's error is about the job that was asked for: %s", async (status) => {
  const server = await rawServer(reply(status, { jobId: "job-7", message: 'Not yet: "jobId":"job-8"' }));
  expect((await outcomeOf("GET", { baseUrl: server.baseUrl, maxRetries: 0 })).error.jobId).toBe("job-1");
});
