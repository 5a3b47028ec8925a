import { request as httpRequest } from "node:http";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import * as sdk from "screenshot-sets";
import { type ClientOptions, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";

/** A key with characters that JSON writes otherwise. */
const canary = 'sk_live_Canary"\\0123456789';
const baseUrl = "https://example.com/api/v1";

/** The ways in which something that repeats a key may write it. */
const written: [how: string, form: string][] = [
  ["as it is", canary],
  ["twice, with and without a word between", `${canary}${canary} and ${canary}`],
  ["in JSON", JSON.stringify(canary)],
];

/** What of a key no text may hold: its halves, which no escape touches. */
const halves = /Canary|0123456789/;

/** All that people print or send of a value. */
function printed(value: unknown): string {
  const { message, stack, cause, headers } = (value ?? {}) as Partial<sdk.ApiError>;
  return [
    inspect(value, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify([value, { ...(value as object) }, cause, headers && [...headers]]),
    value instanceof Error && inspect(structuredClone(value), { depth: 10, showHidden: true }),
    ...[String(value), message, stack, String(cause)],
  ].join("\n");
}

/** A client with the canary, and what its logger and its `onResponse` were given. */
function watched(fetch: typeof globalThis.fetch, options: ClientOptions = {}) {
  const lines: unknown[][] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const logger = { debug: write, info: write, warn: write, error: write };
  const { clock } = createMock().clientOptions;
  const own = { apiKey: canary, baseUrl, fetch, clock, logger, onResponse: write, maxRetries: 0 };
  const client = new ScreenshotSets({ ...own, ...options });
  return { client, lines };
}

/** Answers with the key in all of its parts. */
const repeating =
  (status: number, text: string): typeof fetch =>
  async (_, init) => {
    const authorization = new Headers(init?.headers).get("authorization") ?? "";
    const headers = { "x-request-id": authorization, location: canary };
    return new Response(text, { status, statusText: authorization, headers });
  };

function expectNoKey(error: unknown, lines: unknown[][], errorClass: typeof sdk.ScreenshotSetsError): void {
  expect((error as object).constructor).toBe(errorClass);
  expect(printed(error)).not.toMatch(halves);
  expect(printed(lines)).not.toMatch(halves);
}

describe.each(written)("a key that is repeated %s", (_, form) => {
  test.each([
    [200, sdk.InvalidResponseError],
    [404, sdk.NotFoundError],
  ])("is in nothing that the error for a %s shows", async (status, errorClass) => {
    const json = form.startsWith('"') ? form : JSON.stringify(form);
    for (const body of [form, `{"error":{"detail":[${json}]},${json}:${json},"jobId":${json}}`]) {
      const { client, lines } = watched(repeating(status, body));
      const error = await rejection(client.jobs.get("job-1"));
      expectNoKey(error, lines, errorClass);
      expect(printed(error)).toContain("***");
      expect(lines.at(-1)).toMatchObject([{ requestId: "Bearer ***" }]);
    }
  });

  test("is in nothing that a ConnectionError shows", async () => {
    const { client, lines } = watched(async (url, init) => {
      const request = new Request(url, init);
      const fields = { code: "ECONNRESET", request, [form]: 1, list: [form], map: new Map([[form, form]]) };
      const inner = Object.assign(new Error(`Bad header ${form}`), fields);
      inner.cause = { back: inner };
      throw new TypeError("fetch failed", { cause: new AggregateError([inner], form) });
    });
    const error = await rejection(client.jobs.get("job-1"));
    expectNoKey(error, lines, sdk.ConnectionError);
    expect(error.cause.cause.errors[0].code).toBe("ECONNRESET");
  });

  test("is in nothing that a TimeoutError shows", async () => {
    const part = Buffer.from(`{"jobId":${JSON.stringify(form)},`);
    const start = (controller: ReadableStreamDefaultController) => controller.enqueue(part);
    const { client, lines } = watched(async () => new Response(new ReadableStream({ start })));
    const error = await rejection(client.screenshots.create({ appId: "app-1", device: "iphone-69" }));
    expectNoKey(error, lines, sdk.TimeoutError);
    expect(error.jobId).toContain("***");
  });
});

test.each<[what: string, apiKey: ClientOptions["apiKey"]]>([
  ["key", "sk_live_Canary0123456789"],
  ["key of a function", async () => "sk_live_Canary0123456789"],
])("a %s in the address of a request is in nothing that its error shows", async (_, apiKey) => {
  const { client, lines } = watched(async () => new Response("{}", { status: 404 }), { apiKey });
  const error = await rejection(client.request("GET", "/v1/sk_live_Canary0123456789"));
  expectNoKey(error, lines, sdk.NotFoundError);
  expect(error.message).toContain("GET /v1/*** failed with 404");
});

test("a key that an address writes otherwise is in nothing that its error shows", async () => {
  const { client, lines } = watched(async () => new Response("{}", { status: 404 }));
  const error = await rejection(client.request("GET", "/v1/{id}", { params: { path: { id: canary } } }));
  expectNoKey(error, lines, sdk.NotFoundError);
  expect(error).toMatchObject({ path: "/v1/***" });
});

test("a key in the name of a parameter is in no line", async () => {
  const { client, lines } = watched(async () => new Response('{"appId":"app_1"}'));
  const mistyped: object = { [canary]: 1 };
  await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1", ...mistyped });
  expect(lines.length).toBeGreaterThan(0);
  expect(printed(lines)).not.toMatch(halves);
});

test("a key is in nothing that a job that failed, or that never ends, shows", async () => {
  for (const status of ["failed", "running"]) {
    const job = { id: "job-1", status, result: null, error: { message: canary, [canary]: canary } };
    const { client, lines } = watched(async () => Response.json(job, { headers: { "x-more": canary } }));
    const error = await rejection(client.waitForJob("job-1"));
    expectNoKey(error, lines, status === "failed" ? sdk.JobFailedError : sdk.JobTimeoutError);
    expect(printed(await client.jobs.get("job-1"))).not.toMatch(halves);
  }
});

test("a client shows no key, whatever gives it", async () => {
  const ok: typeof fetch = async () => Response.json({ id: "job-1", status: "queued" });
  for (const apiKey of [canary, () => canary]) {
    const { client, lines } = watched(ok, { apiKey });
    await client.jobs.get("job-1");
    for (const part of [client, client.jobs, client.watchJob("job-1"), lines]) {
      expect(printed(part)).not.toMatch(halves);
    }
    expect(Object.keys(client)).toEqual(["apps", "screenshots", "jobs"]);
  }
});

test("both keys of a rotation are hidden, in what a key function throws too", async () => {
  const keys = [canary, `${canary}_rotated`];
  const left = [...keys];
  const apiKey = () => {
    const key = left.shift();
    if (key === undefined) throw new Error(`The vault has replaced ${keys[1]}`);
    return key;
  };
  // One begins with the other.
  const { client, lines } = watched(repeating(401, keys.join(" ")), { apiKey });
  const error = await rejection(client.jobs.get("job-1"));
  expectNoKey(error, lines, sdk.AuthenticationError);
  expect(error.body).toBe("*** ***");
  const thrown = await rejection(client.jobs.get("job-1"));
  expectNoKey(thrown, lines, sdk.ConfigurationError);
  expect(thrown.cause.message).toBe("The vault has replaced ***");
});

test.each([
  ["k_34567", "k_34567"],
  ["k_345678", "***"],
])("the key %s in the place of a job's id is shown as %s: a shorter one is none", async (apiKey, shown) => {
  const { client, lines } = watched(async () => new Response(apiKey, { status: 404 }), { apiKey });
  const error = await rejection(client.jobs.get(apiKey));
  expect(error).toMatchObject({ jobId: shown, path: `/public/v1/jobs/${shown}`, body: shown });
  expect(lines.at(-1)).toMatchObject([{ path: `/public/v1/jobs/${shown}`, status: 404 }]);
});

test("what the user's own callbacks throw shows no key", async () => {
  const mock = createMock({ apiKey: canary });
  const { client, lines } = watched(mock.fetch, mock.clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  const fail = () => expect.fail(`The key is ${canary}.`);
  const set = { appId, device: "iphone-69" } as const;
  const { jobId } = await client.screenshots.create(set, { onResponse: fail });
  await client.waitForJob(jobId, { onUpdate: fail, onResponse: fail });
  await rejection(client.screenshots.createAndWait(set, { onAccepted: fail }));
  const failures = lines.filter(([message]) => /threw/.test(String(message)));
  expect(new Set(failures.map(([message]) => message)).size).toBe(3);
  expect(failures.map((line) => printed(line[1])).join()).not.toMatch(halves);
});

/** A request of `node:http` whose head was not written yet. */
function unwritten(headers: Record<string, string>) {
  const request = httpRequest(baseUrl.replace("https", "http"), { headers });
  request.on("error", () => {});
  return request.destroy();
}

describe("what fetch fails with", () => {
  const key = "sk_live_Canary";
  const shown = async (thrown: unknown) => {
    const { client } = watched(() => Promise.reject(thrown), { apiKey: key });
    return (await rejection(client.jobs.get("job-1"))).cause;
  };

  test("is passed on as it is where it holds no key", async () => {
    const thrown = Object.assign(new Error("down"), { list: [1, { deep: new Map() }] });
    expect(await shown(thrown)).toBe(thrown);
  });

  test.each<[where: string, held: object]>([
    ["the headers of a request", { request: new Request(baseUrl, { headers: { "x-api-key": key } }) }],
    ["the headers of an answer", { response: new Response("", { headers: { "x-echo": key } }) }],
    ["the name of a field", { [key]: 1 }],
    ["a map", { map: new Map([[key, 1]]) }],
    ["a field under a symbol", { [Symbol("options")]: { headers: { "x-api-key": key } } }],
    ["a field of a function", { retry: Object.assign(() => {}, { headers: { "x-api-key": key } }) }],
    ["a request of Node's that was not written", { request: unwritten({ "x-api-key": key }) }],
  ])("shows no key that only %s holds", async (_, held) => {
    const copy = await shown(Object.assign(new Error("down"), { held }));
    expect(printed(copy)).not.toMatch(halves);
    expect(printed(copy)).toContain("***");
  });

  test("is otherwise copied with its class, its fields and its circles", async () => {
    const fields = { code: "EPIPE", nothing: null, list: [1, key], bytes: Buffer.from(key) };
    const held = { set: new Set([key]), map: new Map([[1, key]]), headers: new Headers({ "x-key": key }) };
    const thrown = Object.assign(new TypeError(`No ${key}`), { ...fields, ...held, back: {} });
    thrown.back = { thrown };
    const copy = await shown(thrown);
    expect([copy.constructor, Object.keys(copy)]).toEqual([TypeError, Object.keys(thrown)]);
    const shownFields = { code: "EPIPE", nothing: null, list: [1, "***"], bytes: {} };
    expect(copy).toMatchObject({ message: "No ***", ...shownFields, set: new Set(["***"]) });
    expect([[...copy.map], [...copy.headers]]).toEqual([[[1, "***"]], [["x-key", "***"]]]);
    expect(copy.back.thrown).toBe(copy);
    expect(thrown.message).toBe(`No ${key}`);
  });

  test("may be a DOMException, an error of another realm, or no error", async () => {
    const copy = await shown(new DOMException(`Not with ${key}`, "DataError"));
    expect([copy instanceof Error, copy.name, copy.message]).toEqual([true, "DataError", "Not with ***"]);
    const foreign = await shown(runInNewContext(`new TypeError("No ${key}")`));
    expect([foreign.name, foreign.message]).toEqual(["TypeError", "No ***"]);
    const unreadable = Object.defineProperty({}, "held", { get: () => expect.fail("unreadable") });
    expect([await shown(`No ${key}`), await shown(7), await shown(unreadable)]).toEqual(["No ***", 7, "***"]);
  });
});
