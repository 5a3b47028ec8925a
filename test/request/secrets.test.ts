import { inspect } from "node:util";
import * as sdk from "screenshot-sets";
import { type ClientOptions, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";

/** A key with characters that JSON, URLs and HTML write otherwise. */
const canary = 'sk_live_Canary/"<&+=\\0123456789';
const rotated = 'sk_live_Rotated/"<&+=\\0123456789';
const baseUrl = "https://example.com/api/v1";

const coded = (form: (code: number) => string) =>
  [...canary].map((character) => form(character.charCodeAt(0))).join("");
const padded = (code: number) => code.toString(16).padStart(4, "0");
const entities: Record<string, string> = { "/": "&#x2F;", '"': "&quot;", "<": "&lt;", "&": "&amp;" };

/** The ways in which something that repeats a key may write it. */
const written: Record<string, string> = {
  "as it is": canary,
  "twice, with and without a word between": `${canary}${canary} and ${canary}`,
  "in JSON": JSON.stringify(canary),
  "in JSON with slashes escaped": JSON.stringify(canary).replaceAll("/", "\\/"),
  "in JSON within JSON": JSON.stringify(JSON.stringify(canary)),
  "in JSON as codes": coded((code) => `\\u${padded(code)}`),
  "in JSON as codes in upper case": coded((code) => `\\u${padded(code).toUpperCase()}`),
  "in a URL": encodeURIComponent(canary),
  "in a URL in lower case": encodeURIComponent(canary).replace(/%../g, (code) => code.toLowerCase()),
  "in HTML": canary.replace(/[/"<&]/g, (character) => entities[character] ?? ""),
  "in HTML as decimal codes": canary.replace(/\W/g, (character) => `&#${character.charCodeAt(0)};`),
};

/** What of a key no text may hold: its halves, which no escape touches. */
const halves = /Canary|Rotated|0123456789/;

/** All that people print or send of a value. */
function printed(value: unknown): string {
  const { message, stack, cause, headers } = (value ?? {}) as Partial<sdk.ApiError>;
  return [
    inspect(value, { depth: 10, showHidden: true }),
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    JSON.stringify(value),
    JSON.stringify({ ...(value as object) }),
    String(value),
    value instanceof Error && inspect(structuredClone(value), { depth: 10, showHidden: true }),
    ...[message, stack, cause && inspect(cause, { depth: 10, showHidden: true })],
    ...[cause && JSON.stringify(cause), String(cause), headers && JSON.stringify([...headers])],
  ].join("\n");
}

/** A client with the canary, and what its logger was given. */
function watched(fetch: typeof globalThis.fetch, options: ClientOptions = {}) {
  const lines: unknown[][] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const logger = { debug: write, info: write, warn: write, error: write };
  const { clock } = createMock().clientOptions;
  const client = new ScreenshotSets({ apiKey: canary, baseUrl, fetch, clock, logger, ...options });
  return { client, lines };
}

/** Answers with the key in all of its parts. */
const repeating =
  (status: number, text: string): typeof fetch =>
  async (_, init) => {
    const authorization = new Headers(init?.headers).get("authorization") ?? "";
    const headers = { "x-request-id": authorization, "x-more": encodeURIComponent(canary), location: canary };
    return new Response(text, { status, statusText: authorization, headers });
  };

function expectNoKey(error: unknown, lines: unknown[][], errorClass: typeof sdk.ScreenshotSetsError): void {
  expect((error as object).constructor).toBe(errorClass);
  expect(printed(error)).not.toMatch(halves);
  expect(printed(lines)).not.toMatch(halves);
}

const answered: [status: number, errorClass: typeof sdk.ScreenshotSetsError][] = [
  [200, sdk.InvalidResponseError],
  [400, sdk.BadRequestError],
  [401, sdk.AuthenticationError],
  [402, sdk.PaymentRequiredError],
  [403, sdk.PermissionDeniedError],
  [404, sdk.NotFoundError],
  [409, sdk.ConflictError],
  [418, sdk.ApiError],
  [422, sdk.UnprocessableEntityError],
  [429, sdk.RateLimitError],
  [500, sdk.ServerError],
];

test.each(answered)("a key is in nothing that the error for a %s shows", async (status, errorClass) => {
  for (const form of Object.values(written)) {
    const bodies = [
      form,
      `{"message":"Not with ${form.replaceAll('"', '\\"')}"}`,
      JSON.stringify({ error: { detail: [form] }, [form]: form, jobId: form }),
    ];
    for (const body of bodies) {
      const { client, lines } = watched(repeating(status, body));
      const error = await rejection(client.jobs.get("job-1"));
      expectNoKey(error, lines, errorClass);
      expect(printed(error)).toContain("***");
    }
  }
});

describe.each(Object.entries(written))("a key that is repeated %s", (_, form) => {
  test("is in nothing that a ConnectionError shows", async () => {
    const { client, lines } = watched(async (url, init) => {
      const request = new Request(url, init);
      const inner = Object.assign(new Error(`Bad header ${form}`), {
        code: "ECONNRESET",
        request,
        [form]: 1,
      });
      inner.cause = { headers: new Map([[form, new Set([form])]]), list: [form], back: inner };
      throw new TypeError("fetch failed", { cause: new AggregateError([inner], form) });
    });
    const error = await rejection(client.jobs.get("job-1"));
    expectNoKey(error, lines, sdk.ConnectionError);
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(error.cause.cause.errors[0].code).toBe("ECONNRESET");
  });

  test("is in nothing that a TimeoutError shows", async () => {
    const { client, lines } = watched(async () => {
      const start = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(new TextEncoder().encode(`{"jobId":${JSON.stringify(form)},`));
      return new Response(new ReadableStream({ start }));
    });
    const error = await rejection(client.screenshots.create({ appId: "app-1", device: "iphone-69" }));
    expectNoKey(error, lines, sdk.TimeoutError);
    expect(error.jobId).toContain("***");
  });

  test("is in nothing that a job that failed, or that never ends, shows", async () => {
    for (const status of ["failed", "running"]) {
      const job = { id: "job-1", status, result: null, error: { message: form, [form]: form } };
      const { client, lines } = watched(async () => Response.json(job, { headers: { "x-more": canary } }));
      const error = await rejection(client.waitForJob("job-1"));
      expectNoKey(error, lines, status === "failed" ? sdk.JobFailedError : sdk.JobTimeoutError);
      expect(printed(await client.jobs.get("job-1"))).not.toMatch(halves);
    }
  });
});

test("a client shows no key, whatever gives it", async () => {
  const ok: typeof fetch = async () =>
    Response.json({ id: "job-1", status: "queued", result: null, error: null });
  for (const apiKey of [canary, () => canary]) {
    const { client, lines } = watched(ok, { apiKey });
    await client.jobs.get("job-1");
    const parts = [client, client.apps, client.jobs, client.screenshots, client.watchJob("job-1"), lines];
    for (const part of parts) expect(printed(part)).not.toMatch(halves);
    expect(() => structuredClone(client)).toThrow("could not be cloned");
    expect(Object.keys(client)).toEqual(["apps", "screenshots", "jobs"]);
  }
});

test("both keys of a rotation are hidden, also where one begins with the other", async () => {
  for (const [first, second] of [
    [canary, rotated],
    [canary, `${canary}${rotated}`],
  ]) {
    let asked = 0;
    const { client, lines } = watched(repeating(401, `${first} ${second} ${first}`), {
      apiKey: () => (asked++ === 0 ? (first as string) : (second as string)),
    });
    const error = await rejection(client.jobs.get("job-1"));
    expectNoKey(error, lines, sdk.AuthenticationError);
    expect(error.body).toBe("*** *** ***");
  }
});

test("what a key function throws shows no key that it gave before", async () => {
  const keys = [canary, undefined];
  const { client, lines } = watched(async () => new Response("", { status: 404 }), {
    apiKey: () => {
      const key = keys.shift();
      if (key === undefined) throw new Error(`The vault has replaced ${canary}`);
      return key;
    },
  });
  await rejection(client.jobs.get("job-1"));
  const error = await rejection(client.jobs.get("job-1"));
  expectNoKey(error, lines, sdk.ConfigurationError);
  expect(error.cause.message).toBe("The vault has replaced ***");
});

test.each([`${canary}\n`, `${canary} `, `${canary}\u00e9`, [canary], { canary }, Symbol(canary), 7n, null])(
  "a malformed key is not repeated: %o",
  async (apiKey) => {
    const make = () => new ScreenshotSets({ baseUrl, apiKey: apiKey as string });
    const { client, lines } = watched(fetch, { apiKey: () => apiKey as string });
    const errors = [await rejection(client.jobs.get("job-1"))];
    if (apiKey !== null) errors.push(await rejection((async () => make())()));
    for (const error of errors) expectNoKey(error, lines, sdk.ConfigurationError);
  },
);

test("what cannot be looked at is not shown", async () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const { client } = watched(async () => {
    throw new Error("odd", { cause: revoked.proxy });
  });
  const error = await rejection(client.jobs.get("job-1"));
  expect(error.constructor).toBe(sdk.ConnectionError);
  expect(error.cause).toBe("***");
});

test("an answer that repeats no key comes as it is, whatever it escapes", async () => {
  const job = {
    id: "job-1",
    status: "queued",
    result: null,
    error: null,
    text: "100% & \\ %41 &amp; \\u0041",
  };
  const { client } = watched(async () => Response.json(job));
  expect(await client.jobs.get("job-1")).toEqual(job);
});

test("a key in the place of a job's id is not shown", async () => {
  const { client } = watched(async () => new Response(null, { status: 404 }));
  const error = await rejection(client.jobs.get(canary));
  expect(error).toMatchObject({ jobId: "***", path: "/public/v1/jobs/***" });
  expect(printed(error)).not.toMatch(halves);
});

test("a key too short to be one is left in the words of others", async () => {
  const { client } = watched(async () => new Response("not a word", { status: 404 }), { apiKey: "o" });
  expect((await rejection(client.jobs.get("job-1"))).body).toBe("not a word");
});

test.each(["\\".repeat(3_000_000), "\\u0073".repeat(500_000), "%73&#115;".repeat(300_000)])(
  "looking for a key takes no long time in an answer made to make it slow",
  async (text) => {
    const { client } = watched(async () => new Response(text, { status: 404 }));
    expect((await rejection(client.jobs.get("job-1"))).body).toBe(text);
  },
);

test.each([
  ["as text", canary],
  ["as a function", async () => canary],
])("what the user's own callbacks throw shows no key that was given %s", async (_, apiKey) => {
  const lines: unknown[][] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const mock = createMock({ apiKey: canary });
  const client = new ScreenshotSets({ ...mock.clientOptions, apiKey, logger });
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  const fail = () => {
    throw new Error(`The key is ${canary}.`);
  };
  const set = { appId, device: "iphone-69" } as const;
  const { jobId } = await client.screenshots.create(set, { onResponse: fail });

  await client.waitForJob(jobId, { onUpdate: fail, onResponse: fail });
  await rejection(client.screenshots.createAndWait(set, { onAccepted: fail }));

  const failures = lines.filter(([message]) => /threw/.test(String(message)));
  expect(new Set(failures.map(([message]) => message)).size).toBe(3);
  expect(failures.map((line) => printed(line[1])).join()).not.toMatch(halves);
});
