import type { Socket } from "node:net";
import * as sdk from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { expectElapsed, goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { type Answer, closedPort, head, rawServer, reply } from "../helpers/raw-server.js";
import { RequestClock } from "../helpers/request-clock.js";

// What each outcome of a call means. `failures-of-fetch.test.ts` has the table of errors that `fetch` throws.

const baseUrl = "https://example.com/api/v1";
const good = JSON.stringify(goodBody);
const whole = { "content-length": good.length };
const chunked = { "transfer-encoding": "chunked" };
const operations = { GET: "getJob", POST: "createScreenshots" };
const paths = { GET: "/public/v1/jobs/job-1", POST: "/public/v1/screenshots" };

/** How often a read and a create are sent, and what the create was charged; a read never is. */
type Row = [outcome: number, errorClass: unknown, reads: number, creates: number, charged: "no" | "maybe"];

const statuses: Row[] = [
  [400, sdk.BadRequestError, 1, 1, "no"],
  [401, sdk.AuthenticationError, 1, 1, "no"],
  [402, sdk.PaymentRequiredError, 1, 1, "no"],
  [403, sdk.PermissionDeniedError, 1, 1, "no"],
  [404, sdk.NotFoundError, 1, 1, "no"],
  [405, sdk.ApiError, 1, 1, "no"],
  [408, sdk.ApiError, 3, 1, "maybe"],
  [409, sdk.ConflictError, 1, 1, "no"],
  [422, sdk.UnprocessableEntityError, 1, 1, "no"],
  [425, sdk.ApiError, 1, 1, "no"],
  [499, sdk.ApiError, 1, 1, "no"],
  [500, sdk.ServerError, 3, 1, "maybe"],
  [501, sdk.ServerError, 1, 1, "maybe"],
  [502, sdk.ServerError, 3, 1, "maybe"],
  [503, sdk.ServerError, 3, 1, "maybe"],
  [504, sdk.ServerError, 3, 1, "maybe"],
  [520, sdk.ServerError, 1, 1, "maybe"],
  [599, sdk.ServerError, 1, 1, "maybe"],
];

describe.each(["GET", "POST"] as const)("a %s that is answered", (method) => {
  test.each(statuses)("%s", async (status, errorClass, reads, creates, charge) => {
    const body = { error: { message: "the words", code: 7 } };
    const headers = { "x-request-id": "request-1", "x-more": "kept" };
    const fetch = async () => Response.json(body, { status, headers });

    const { error, elapsedMs } = await outcomeOf(method, { baseUrl, fetch });

    const attempts = method === "GET" ? reads : creates;
    const charged = method === "GET" ? "no" : charge;
    expect(error.constructor).toBe(errorClass);
    expect(error).toMatchObject({
      ...{ status, method, path: paths[method], attempts, body, requestId: "request-1" },
      ...{ retryAfterMs: undefined, isRetryable: attempts > 1, charged },
    });
    expect(error.headers.get("x-more")).toBe("kept");
    expect(error.message).toContain(`${operations[method]} failed with ${status}: the words.`);
    expect(error.message.includes("check the credits")).toBe(charged === "maybe");
    expectElapsed(elapsedMs, 0, attempts - 1);
  });

  test("429 is sent again for five minutes, and at once given up without retries", async () => {
    const fetch = async () => new Response("", { status: 429 });
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 1 });
    expect(error.constructor).toBe(sdk.RateLimitError);
    expect(error).toMatchObject({ charged: "no", isRetryable: true });
    expect(elapsedMs).toBeGreaterThanOrEqual(300_000);
    expect(elapsedMs).toBeLessThan(310_000);
    const last = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(last.error).toMatchObject({ name: "RateLimitError", attempts: 1, charged: "no" });
    expect(last.elapsedMs).toBe(0);
  });

  test.each([301, 302, 303, 304, 307, 308])("%s is not redirected, nor sent again", async (status) => {
    const other = await rawServer(reply(200, goodBody));
    const location = `${other.baseUrl}${paths[method]}`;
    const server = await rawServer(reply(status, "", { location, "retry-after": 1 }));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(sdk.InvalidResponseError);
    expect(error).toMatchObject({ status, charged: method === "GET" ? "no" : "maybe" });
    expect(error.headers.get("location")).toBe(location);
    expect([server.seen.length, other.connections]).toEqual([1, 0]);
  });

  test.each([200, 404, 429])("%s after a fetch followed a redirect is not trusted", async (status) => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      return Object.defineProperty(Response.json(goodBody, { status }), "redirected", { value: true });
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    expect(error.constructor).toBe(sdk.InvalidResponseError);
    expect(error).toMatchObject({ status, jobId: "job-1", charged: method === "GET" ? "no" : "maybe" });
    expect(sent).toBe(1);
  });
});

type Failure = [
  what: string,
  answer: Answer,
  errorClass: typeof sdk.ConnectionError | typeof sdk.TimeoutError,
  code?: RegExp,
];

/** What a server does with a request that it has read. It may have taken a create, so only a read is sent again. */
const ambiguous: Failure[] = [
  ["a reset", (socket) => socket.resetAndDestroy(), sdk.ConnectionError, /^ECONNRESET$/],
  ["a close without an answer", (socket) => socket.end(), sdk.ConnectionError, /^UND_ERR_SOCKET$/],
  ["an answer that is not HTTP", (socket) => socket.end("220 mail.example\r\n"), sdk.ConnectionError],
  ["a close within the headers", (socket) => socket.end("HTTP/1.1 200 OK\r\nco"), sdk.ConnectionError],
  [
    "a body shorter than its length",
    (socket) => socket.end(head(200, { "content-length": good.length + 1 }) + good),
    sdk.ConnectionError,
    /^UND_ERR_/,
  ],
  ["a gzip that is none", reply(200, "no", { "content-encoding": "gzip" }), sdk.ConnectionError, /^Z_/],
  ["silence", () => {}, sdk.TimeoutError],
  ["silence after the headers", (socket) => socket.write(head(200, whole)), sdk.TimeoutError],
  ["silence within the body", (socket) => socket.write(`${head(200, chunked)}5\r\n{"jo`), sdk.TimeoutError],
  ["a body that drips for ever", dripForEver, sdk.TimeoutError],
];

function dripForEver(socket: Socket): void {
  socket.write(head(200, { "content-length": 1_000_000 }));
  const timer = setInterval(() => socket.write("x"), 4);
  socket.on("close", () => clearInterval(timer));
}

/** A base URL at which no request can be sent, so that each of them is safe to send again. */
const unreachable: [what: string, baseUrl: () => Promise<string>, code: RegExp][] = [
  ["a refused connection", async () => `http://127.0.0.1:${await closedPort()}`, /^ECONNREFUSED$/],
  [
    "a name whose addresses all refuse",
    async () => `http://localhost:${await closedPort()}`,
    /^ECONNREFUSED$/,
  ],
  // No resolver asks the network for a name that DNS cannot hold.
  ["a name that does not resolve", async () => `https://${"a".repeat(64)}.invalid`, /^(ENOTFOUND|EAI_)/],
];

describe.each(["GET", "POST"] as const)("a %s that meets", (method) => {
  test.each(ambiguous)("%s", async (_, answer, errorClass, code = /^/) => {
    const clock = new RequestClock();
    const timesOut = errorClass === sdk.TimeoutError;
    const server = await rawServer((...args) => {
      answer(...args);
      if (timesOut) void clock.expire();
    });
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl }, clock);
    const attempts = method === "GET" ? 3 : 1;
    expect(error.constructor).toBe(errorClass);
    expect(error).toMatchObject({ attempts, charged: method === "GET" ? "no" : "maybe" });
    expect(String(error.code)).toMatch(code);
    expect(server.seen).toHaveLength(attempts);
    expectElapsed(elapsedMs, timesOut ? attempts : 0, attempts - 1);
  });

  test.each(unreachable)("%s", async (_, address, code) => {
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: await address() });
    expect(error.constructor).toBe(sdk.ConnectionError);
    expect(error).toMatchObject({ attempts: 3, charged: "no", code: expect.stringMatching(code) });
    expectElapsed(elapsedMs, 0, 2);
  });

  test("a reset on a connection that was kept", async () => {
    const server = await rawServer((socket, _, index) => {
      if (index === 0) socket.write(head(200, { ...whole, connection: "keep-alive" }) + good);
      else socket.resetAndDestroy();
    });
    expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(goodBody);
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    const attempts = method === "GET" ? 3 : 1;
    expect(error).toMatchObject({ name: "ConnectionError", attempts });
    expect(error.charged).toBe(method === "GET" ? "no" : "maybe");
    expect(server.seen).toHaveLength(1 + attempts);
  });

  test("a fetch that never settles and ignores its signal", async () => {
    const clock = new RequestClock();
    const signals: AbortSignal[] = [];
    const fetch: typeof globalThis.fetch = (_, init) => {
      signals.push(init?.signal as AbortSignal);
      void clock.expire();
      return new Promise<Response>(() => {});
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.constructor).toBe(sdk.TimeoutError);
    expect(error).toMatchObject({ attempts: 1, charged: method === "GET" ? "no" : "maybe" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("a fetch that answers, or fails, after its time was up", async () => {
    const dropped: unknown[] = [];
    const stream = new ReadableStream({ cancel: (reason) => void dropped.push(reason) });
    for (const late of [() => new Response(stream), () => Promise.reject(new Error("late"))]) {
      const clock = new RequestClock();
      let settle = () => {};
      const fetch = async () => {
        void clock.expire();
        await new Promise<void>((resolve) => (settle = resolve));
        return late();
      };
      const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
      expect(error.constructor).toBe(sdk.TimeoutError);
      settle();
    }
    await expect.poll(() => dropped).toEqual(["the attempt was timed out"]);
  });

  test("a network error in the form of a Response", async () => {
    const { error } = await outcomeOf(method, { baseUrl, fetch: async () => Response.error() });
    expect(error.constructor).toBe(sdk.ConnectionError);
    expect(error.charged).toBe(method === "GET" ? "no" : "maybe");
  });

  test.each<[what: string, answer: () => Promise<unknown>]>([
    ["no Response", async () => undefined],
    ["a Response that somebody has read", alreadyRead],
  ])("a fetch that returns %s", async (_, answer) => {
    const { error } = await outcomeOf(method, { baseUrl, fetch: answer as typeof fetch });
    expect(error.constructor).toBe(sdk.ConnectionError);
    expect(error).toMatchObject({ attempts: 1, charged: method === "GET" ? "no" : "maybe" });
    expect(error.message).toContain("Expected `fetch` to return a Response that nobody has read");
  });

  test("one failure, and then a good answer", async () => {
    const status = method === "GET" ? 503 : 429;
    const server = await rawServer((...args) => reply(args[2] === 0 ? status : 200, goodBody)(...args));
    const { value, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(value).toEqual(goodBody);
    expect(server.seen[1]).toEqual(server.seen[0]);
    expectElapsed(elapsedMs, 0, 1);
  });

  test("one failure, and then a refusal, which ends the call with what it says", async () => {
    const status = method === "GET" ? 503 : 429;
    const server = await rawServer((...args) => reply(args[2] === 0 ? status : 402)(...args));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error).toMatchObject({ name: "PaymentRequiredError", attempts: 2, charged: "no" });
  });
});

async function alreadyRead(): Promise<Response> {
  const response = Response.json(goodBody);
  await response.text();
  return response;
}

const limit = 10 * 1024 * 1024;

test.each(["GET", "POST"] as const)("a %s takes an answer of 10 MiB, and not a byte more", async (method) => {
  let bytes = limit;
  const server = await rawServer((socket) => socket.end(head(200) + good.padEnd(bytes)));
  expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(goodBody);
  bytes++;
  const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(sdk.InvalidResponseError);
  expect(error).toMatchObject({
    body: undefined,
    jobId: "job-1",
    charged: method === "GET" ? "no" : "maybe",
  });
  expect(error.message).toContain(`more than ${limit} bytes`);
  expect(server.seen).toHaveLength(2);
});

test("an answer without end is not read to its end", async () => {
  let isOpen = true;
  const server = await rawServer((socket) => {
    socket.on("close", () => (isOpen = false));
    socket.write(head(200, chunked));
    const write = () => {
      while (isOpen && socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`));
    };
    socket.on("drain", write);
    write();
  });
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ name: "InvalidResponseError", charged: "maybe" });
  await expect.poll(() => isOpen).toBe(false);
});

test("a status of more than 10 MiB means what it says", async () => {
  const server = await rawServer((socket) => socket.end(head(402) + good.padEnd(limit + 1)));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ name: "PaymentRequiredError", charged: "no", body: undefined });
});
