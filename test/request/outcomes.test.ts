import type { Socket } from "node:net";
import * as sdk from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { freePort } from "../helpers/free-port.js";
import { expectElapsed, goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { type Answer, head, rawServer, reply } from "../helpers/raw-server.js";
import { RequestClock } from "../helpers/request-clock.js";

// What each outcome of a call means. `failures-of-fetch.test.ts` has the table of errors that `fetch` throws.

const baseUrl = "https://example.com/api/v1";
const good = JSON.stringify(goodBody);
const chunked = { "transfer-encoding": "chunked" };
const operations = { GET: "getJob", POST: "createScreenshots" };
const paths = { GET: "/public/v1/jobs/job-1", POST: "/public/v1/screenshots" };
const charges = { GET: "no", POST: "maybe" };

/** How often a read and a create are sent, and what the create was charged; a read never is. */
type Row = [outcome: number, errorClass: unknown, reads: number, creates: number, charged: "no" | "maybe"];

const statuses: Row[] = [
  [400, sdk.BadRequestError, 1, 1, "no"],
  [401, sdk.AuthenticationError, 1, 1, "no"],
  [402, sdk.PaymentRequiredError, 1, 1, "no"],
  [403, sdk.PermissionDeniedError, 1, 1, "no"],
  [404, sdk.NotFoundError, 1, 1, "no"],
  [408, sdk.ApiError, 3, 1, "maybe"],
  [409, sdk.ConflictError, 1, 1, "no"],
  [422, sdk.UnprocessableEntityError, 1, 1, "no"],
  [499, sdk.ApiError, 1, 1, "no"],
  [500, sdk.ServerError, 3, 1, "maybe"],
  [501, sdk.ServerError, 1, 1, "maybe"],
  [502, sdk.ServerError, 3, 1, "maybe"],
  [503, sdk.ServerError, 3, 1, "maybe"],
  [504, sdk.ServerError, 3, 1, "maybe"],
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
      status,
      method,
      path: paths[method],
      attempts,
      body,
      requestId: "request-1",
      retryAfterMs: undefined,
      isRetryable: attempts > 1,
      charged,
    });
    expect(error.headers.get("x-more")).toBe("kept");
    expect(error.message).toContain(`${operations[method]} failed with ${status}: the words.`);
    expect(error.message.includes("check the credits")).toBe(charged === "maybe");
    expectElapsed(elapsedMs, 0, attempts - 1);
  });

  test.each([300, 302, 303, 304, 307, 308])("%s is not redirected, nor sent again", async (status) => {
    const other = await rawServer(reply(200, goodBody));
    const location = `${other.baseUrl}${paths[method]}`;
    const server = await rawServer(reply(status, "", { location, "retry-after": 1 }));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(sdk.InvalidResponseError);
    expect(error).toMatchObject({ status, charged: charges[method] });
    expect(error.headers.get("location")).toBe(location);
    expect([server.seen.length, other.connections]).toEqual([1, 0]);
  });

  test.each([200, 401, 404, 429])("%s after a fetch followed a redirect is not trusted", async (status) => {
    let [sent, asked] = [0, 0];
    const fetch = async () => {
      sent++;
      return Object.defineProperty(Response.json(goodBody, { status }), "redirected", { value: true });
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, apiKey: () => `key-${++asked}` });
    expect(error.constructor).toBe(sdk.InvalidResponseError);
    expect(error).toMatchObject({ status, jobId: "job-1", charged: charges[method] });
    expect([sent, asked]).toEqual([1, 1]);
  });
});

type Failure = [what: string, answer: Answer, errorClass: unknown, more?: object];

const { ConnectionError, TimeoutError } = sdk;
const inHead = "HTTP/1.1 200 OK\r\nco";
const inPart = (status: number) => `${head(status, { "content-length": 9 })}half`;
const coded = (code: RegExp) => ({ code: expect.stringMatching(code) });

/** What a server does with a request that it has read. It may have taken a create, so only a read is sent again. */
const ambiguous: Failure[] = [
  ["a reset", (socket) => socket.resetAndDestroy(), ConnectionError, coded(/^ECONNRESET$/)],
  ["an answer that is not HTTP", (socket) => socket.end("220 mail.example\r\n"), ConnectionError],
  ["a close within the headers", (socket) => socket.end(inHead), ConnectionError, coded(/^UND_ERR_SOCKET$/)],
  ["a body that breaks off", (socket) => socket.end(inPart(200)), ConnectionError, coded(/^UND_ERR_/)],
  ["a gzip that is none", reply(200, "no", { "content-encoding": "gzip" }), ConnectionError, coded(/^Z_/)],
  ["silence", () => {}, TimeoutError],
  ["silence within the body", (socket) => socket.write(`${head(200, chunked)}5\r\n{"jo`), TimeoutError],
  ["a body that drips for ever", dripForEver, TimeoutError],
  // What the status says holds, though the body never comes whole. A read is sent again all the same.
  ["a 402 that breaks off", (socket) => socket.end(inPart(402)), ConnectionError, { charged: "no" }],
  ["a 402 that stalls", (socket) => socket.write(inPart(402)), TimeoutError, { charged: "no" }],
  ["a 302 that breaks off", (socket) => socket.end(inPart(302)), ConnectionError, { status: 302 }],
];

function dripForEver(socket: Socket): void {
  socket.write(head(200, { "content-length": 1_000_000 }));
  const timer = setInterval(() => socket.write("x"), 4);
  socket.on("close", () => clearInterval(timer));
}

/** Hosts that no request can be sent to, so that each of them is safe to send again. */
const unreachable: [what: string, host: string, code: RegExp][] = [
  ["a refused connection", "127.0.0.1", /^ECONNREFUSED$/],
  ["a name whose addresses all refuse", "localhost", /^ECONNREFUSED$/],
  // No resolver asks the network for a name that DNS cannot hold.
  ["a name that does not resolve", `${"a".repeat(64)}.localhost`, /^(ENOTFOUND|EAI_)/],
];

describe.each(["GET", "POST"] as const)("a %s that meets", (method) => {
  const attempts = method === "GET" ? 3 : 1;
  const mayBeCharged = { charged: charges[method] };

  test.each(ambiguous)("%s", async (_, answer, errorClass, more = {}) => {
    const clock = new RequestClock();
    const timesOut = errorClass === TimeoutError;
    const server = await rawServer((...args) => {
      answer(...args);
      if (timesOut) void clock.expire();
    });
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl }, clock);
    expect(error.constructor).toBe(errorClass);
    expect(error).toMatchObject({ attempts, ...mayBeCharged, ...more });
    expect(server.seen).toHaveLength(attempts);
    expectElapsed(elapsedMs, timesOut ? attempts : 0, attempts - 1);
  });

  test.each(unreachable)("%s", async (_, host, code) => {
    const options = { baseUrl: `http://${host}:${await freePort()}` };
    const { error, elapsedMs } = await outcomeOf(method, options);
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, charged: "no", ...coded(code) });
    expectElapsed(elapsedMs, 0, 2);
  });

  test("a fetch that ignores its signal, and answers or fails after its time was up", async () => {
    const dropped: unknown[] = [];
    const stream = new ReadableStream({ cancel: (reason) => void dropped.push(reason) });
    for (const late of [() => new Response(stream), () => Promise.reject(new Error("late"))]) {
      const clock = new RequestClock();
      let settle = () => {};
      let aborted: AbortSignal | null | undefined;
      const fetch: typeof globalThis.fetch = async (_, init) => {
        aborted = init?.signal;
        void clock.expire();
        await new Promise<void>((resolve) => (settle = resolve));
        return late();
      };
      const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
      expect(error.constructor).toBe(TimeoutError);
      expect(error).toMatchObject({ attempts: 1, ...mayBeCharged });
      expect(aborted).toMatchObject({ aborted: true });
      settle();
    }
    await expect.poll(() => dropped).toEqual(["the attempt was timed out"]);
  });

  const alreadyRead = Object.defineProperty(Response.json(goodBody), "bodyUsed", { value: true });
  const notRead = "Expected `fetch` to return a Response that nobody has read";
  test.each<[what: string, answer: () => Promise<unknown>, attempts: number, words: string]>([
    ["no Response", async () => undefined, 1, notRead],
    ["a Response that somebody has read", async () => alreadyRead, 1, notRead],
    ["a network error as a Response", async () => Response.error(), attempts, "a network error"],
  ])("a fetch that returns %s", async (_, answer, times, words) => {
    const { error } = await outcomeOf(method, { baseUrl, fetch: answer as typeof fetch });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: times, ...mayBeCharged });
    expect(error.message).toContain(words);
  });

  test.each([
    ["a good answer", 200, { value: goodBody }],
    ["a refusal", 402, { error: { name: "PaymentRequiredError", attempts: 2, charged: "no" } }],
  ])("one passing failure, and then %s", async (_, status, ended) => {
    const first = method === "GET" ? 503 : 429;
    const server = await rawServer((...args) => reply(args[2] === 0 ? first : status, goodBody)(...args));
    const outcome = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(outcome).toMatchObject(ended);
    expect(server.seen).toEqual([server.seen[0], server.seen[0]]);
    expectElapsed(outcome.elapsedMs, 0, 1);
  });
});

const limit = 10 * 1024 * 1024;

test.each(["GET", "POST"] as const)("a %s takes an answer of 10 MiB, and not a byte more", async (method) => {
  let isOpen = true;
  const server = await rawServer((socket, _, index) => {
    if (index === 0) return socket.end(head(200) + good.padEnd(limit));
    // What the status says holds all the same.
    if (index === 2) return socket.end(head(402) + good.padEnd(limit + 1));
    // An answer without end is not waited for.
    return socket.on("close", () => (isOpen = false)).write(head(200) + good.padEnd(limit + 1));
  });
  expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(goodBody);
  const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(sdk.InvalidResponseError);
  expect(error).toMatchObject({ body: undefined, jobId: "job-1", charged: charges[method] });
  expect(error.message).toContain(`more than ${limit} bytes`);
  expect(server.seen).toHaveLength(2);
  await expect.poll(() => isOpen).toBe(false);
  const refused = (await outcomeOf(method, { baseUrl: server.baseUrl })).error;
  expect(refused).toMatchObject({ name: "PaymentRequiredError", charged: "no", body: undefined });
});
