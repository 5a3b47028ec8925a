import { Readable } from "node:stream";
import { ApiError, ConnectionError, InvalidResponseError, ServerError, TimeoutError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { expectElapsed, goodBody, type Method, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { RequestClock } from "../helpers/request-clock.js";

const baseUrl = "https://example.com/api/v1";
const good = new TextEncoder().encode(JSON.stringify(goodBody));
const sentAtMost = { GET: 3, POST: 1 };
const charged = (method: Method) => (method === "GET" ? "no" : "maybe");

/** A `fetch` that answers so each time, whatever it is asked, and does not look at the signal. */
const answering = (answer: unknown) => (async () => answer) as typeof fetch;

/** An answer made by hand, as stubs and other implementations of `fetch` make them. */
const byHand = (parts: object) => ({
  status: 200,
  headers: new Headers(),
  redirected: false,
  body: null,
  ...parts,
});

describe.each(["GET", "POST"] as const)("a %s whose fetch", (method) => {
  test("never settles times out", async () => {
    const clock = new RequestClock();
    let sent = 0;
    const fetch = () => {
      sent++;
      void clock.expire();
      return new Promise<Response>(() => {});
    };
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl, fetch }, clock);
    expect(error.constructor).toBe(TimeoutError);
    expect(error).toMatchObject({ attempts: sentAtMost[method], charged: charged(method) });
    expect(sent).toBe(sentAtMost[method]);
    expectElapsed(elapsedMs, sent, sent - 1);
  });

  test("answers after its time was up has the answer dropped", async () => {
    const clock = new RequestClock();
    const dropped: unknown[] = [];
    const late: (() => void)[] = [];
    const fetch = async () => {
      void clock.expire();
      await new Promise<void>((resolve) => late.push(resolve));
      return new Response(new ReadableStream({ cancel: (reason) => void dropped.push(reason) }));
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.constructor).toBe(TimeoutError);
    for (const answer of late) answer();
    await expect.poll(() => dropped).toEqual(["the attempt timed out"]);
  });

  test("fails after its time was up leaves no rejection behind", async () => {
    const clock = new RequestClock();
    const late: (() => void)[] = [];
    const fetch = async () => {
      void clock.expire();
      await new Promise<void>((_, reject) => late.push(() => reject(new Error("late"))));
      return new Response();
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    for (const fail of late) fail();
    expect(error.constructor).toBe(TimeoutError);
    await outcomeOf(method, { baseUrl, fetch: answering(Response.json(goodBody)) });
  });

  test("has its signal aborted once its time is up, and only then", async () => {
    const clock = new RequestClock();
    const signals: AbortSignal[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      signals.push(init?.signal as AbortSignal);
      void clock.expire();
      return new Promise<Response>(() => {});
    };
    await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([
      [true, "the attempt timed out"],
    ]);
    await outcomeOf(method, {
      baseUrl,
      fetch: async (_, init) => {
        signals.push(init?.signal as AbortSignal);
        return Response.json(goodBody);
      },
    });
    expect(signals[1]?.aborted).toBe(false);
  });

  test.each([
    ["cannot be cancelled", { read: () => new Promise(() => {}) }],
    [
      "fails to be cancelled",
      {
        read: () => new Promise(() => {}),
        cancel: () => {
          throw new Error("no");
        },
      },
    ],
    [
      "cannot be cancelled in time",
      { read: () => new Promise(() => {}), cancel: () => Promise.reject(new Error("no")) },
    ],
  ])("answers with a body that %s times out all the same", async (_, reader) => {
    const clock = new RequestClock();
    const answer = byHand({ body: { getReader: () => reader } });
    const fetch = async () => {
      void clock.expire();
      return answer as unknown as Response;
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.constructor).toBe(TimeoutError);
  });

  test("answers with a stream of another kind has it ended once its time is up", async () => {
    const clock = new RequestClock();
    const ends: string[] = [];
    const chunks = { next: () => new Promise(() => {}), return: async () => void ends.push("ended") };
    const answer = byHand({ body: { [Symbol.asyncIterator]: () => chunks } });
    const fetch = async () => {
      void clock.expire();
      return answer as unknown as Response;
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.constructor).toBe(TimeoutError);
    expect(ends).toEqual(["ended"]);
  });

  test("answers with empty chunks for ever is refused", async () => {
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array());
    const dropped: unknown[] = [];
    const cancel = (reason: unknown) => void dropped.push(reason);
    const fetch = async () => new Response(new ReadableStream({ pull, cancel }));
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error.message).toContain("more than 10485760 bytes");
    expect(dropped).toEqual(["the answer is too large"]);
  });

  test("puts empty chunks between the others is understood", async () => {
    const start = (controller: ReadableStreamDefaultController) => {
      for (const byte of good) {
        controller.enqueue(new Uint8Array());
        controller.enqueue(Uint8Array.of(byte));
      }
      controller.close();
    };
    const fetch = async () => new Response(new ReadableStream({ start }));
    expect((await outcomeOf(method, { baseUrl, fetch })).value).toEqual(goodBody);
  });

  test("answers with a stream of Node's for a body is understood, in pieces too", async () => {
    const pieces = [good.subarray(0, 5), good.subarray(5)].map((piece) => Buffer.from(piece));
    const { value } = await outcomeOf(method, {
      baseUrl,
      fetch: answering(byHand({ body: Readable.from(pieces) })),
    });
    expect(value).toEqual(goodBody);
  });

  test("answers with a stream of Node's that breaks off fails with what had come", async () => {
    const body = Readable.from(
      (async function* () {
        yield good.subarray(0, -1);
        throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
      })(),
    );
    const { error } = await outcomeOf(method, { baseUrl, fetch: answering(byHand({ body })), maxRetries: 0 });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ code: "ECONNRESET", jobId: "job-1", charged: charged(method) });
  });

  test("answers with a stream of Node's that stalls times out, and is not read any longer", async () => {
    const clock = new RequestClock();
    const body = new Readable({ read() {} });
    const fetch = async () => {
      setImmediate(() => {
        body.push(good.subarray(0, 5));
        void clock.expire();
      });
      return byHand({ body }) as unknown as Response;
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.constructor).toBe(TimeoutError);
    body.push(null);
    await expect.poll(() => body.destroyed).toBe(true);
  });

  test.each([
    ["text()", { text: async () => JSON.stringify(goodBody) }],
    ["json()", { json: async () => goodBody }],
    ["text() and json()", { text: async () => JSON.stringify(goodBody), json: () => Promise.reject() }],
  ])("answers with a status and no more than %s is understood", async (_, whole) => {
    const { value } = await outcomeOf(method, { baseUrl, fetch: answering({ status: 200, ...whole }) });
    expect(value).toEqual(goodBody);
  });

  test.each([401, 404, 500, 302])("refuses with the bare status %i is understood", async (status) => {
    const fetch = answering({ ok: false, status });
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(error).toMatchObject({ status, body: undefined });
    expect(error).toBeInstanceOf(status === 302 ? InvalidResponseError : ApiError);
    expect(error.charged).toBe(status < 500 && status !== 302 ? "no" : charged(method));
  });

  test("answers with a number for a header is understood", async () => {
    const fetch = answering({ status: 429, headers: { "retry-after": 120, "x-request-id": null } });
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    expect(error).toMatchObject({ retryAfterMs: 120_000, requestId: undefined, attempts: 1 });
  });

  test("answers with methods that need the answer they belong to is understood", async () => {
    class OwnResponse {
      readonly status = 200;
      readonly #words = JSON.stringify(goodBody);
      async text() {
        return this.#words;
      }
    }
    const { value } = await outcomeOf(method, { baseUrl, fetch: answering(new OwnResponse()) });
    expect(value).toEqual(goodBody);
  });

  test("answers with a refusal in json() alone fails with what was answered", async () => {
    const answer = { status: 402, json: async () => ({ message: "Too few credits" }) };
    const { error } = await outcomeOf(method, { baseUrl, fetch: answering(answer) });
    expect(error).toMatchObject({ name: "PaymentRequiredError", body: { message: "Too few credits" } });
    expect([...error.headers]).toEqual([]);
  });

  test("answers with no body in json() is an InvalidResponseError", async () => {
    const fetch = answering({ status: 200, json: async () => undefined });
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error.message).toContain("an empty body");
  });

  test("answers with a text() that fails, fails with what it said", async () => {
    const text = async () => {
      throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch: answering({ status: 200, text }) });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ code: "ECONNRESET", charged: charged(method) });
    expect(error.message).toContain("the body of the 200 answer broke off (aborted)");
  });

  test("answers with a text() that never ends times out", async () => {
    const clock = new RequestClock();
    const fetch = async () => {
      void clock.expire();
      return { status: 200, text: () => new Promise(() => {}) } as unknown as Response;
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.constructor).toBe(TimeoutError);
  });

  test.each([
    ["a class of its own", () => new OwnHeaders([["retry-after", "7"]])],
    ["a Map", () => new Map([["retry-after", "7"]])],
    ["a plain object", () => ({ "Retry-After": "7", get: () => null })],
  ])("answers with headers in %s is understood", async (_, headers) => {
    const fetch = answering(byHand({ status: 429, headers: headers() }));
    const { error, delays } = await outcomeOf(method, { baseUrl, fetch });
    expect(error).toMatchObject({ name: "RateLimitError", retryAfterMs: 7000, attempts: 3 });
    expect(error.headers).toBeInstanceOf(Headers);
    expect(delays).toEqual([7000, 7000]);
  });

  test.each([
    [99, ApiError],
    [199, ApiError],
    [600, ApiError],
    [999, ApiError],
    [599, ServerError],
  ])("answers %s, which no standard knows, fails with what was answered", async (status, errorClass) => {
    const { error } = await outcomeOf(method, { baseUrl, fetch: answering(byHand({ status })) });
    expect(error.constructor).toBe(errorClass);
    expect(error).toMatchObject({ status, attempts: 1, charged: charged(method) });
  });

  test("answers with a network error meets none of the service's", async () => {
    const { error } = await outcomeOf(method, { baseUrl, fetch: answering(Response.error()) });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: sentAtMost[method], charged: charged(method) });
    expect(error.message).toContain("no answer (The answer is a network error)");
  });

  test("aborts the call itself rejects with the reason, and the answer counts for nothing", async () => {
    const watched = watchedSignal();
    const reason = new Error("The user left");
    const fetch = async () => {
      watched.controller.abort(reason);
      return Response.json(goodBody);
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch }, new RequestClock(), watched);
    expect(error).toBe(reason);
  });

  test("reads the request more than once finds the same", async () => {
    const seen: unknown[] = [];
    const fetch = async (url: unknown, init?: RequestInit) => {
      const copies = [new Request(url as string, init), new Request(url as string, { ...init })];
      seen.push(...(await Promise.all(copies.map((request) => request.text()))));
      return Response.json(goodBody);
    };
    expect((await outcomeOf(method, { baseUrl, fetch })).value).toEqual(goodBody);
    expect(seen[0]).toBe(seen[1]);
  });
});

test("words for people are one line, which no terminal takes for a command", async () => {
  const words = "Bad\u001b[31m red\r\n\u0000\u009b2J line\u007f";
  const { error } = await outcomeOf("GET", {
    baseUrl,
    fetch: answering(Response.json({ message: words }, { status: 404 })),
  });
  expect(error.message).toBe("getJob failed with 404: Bad [31m red 2J line.");
  expect(error.body).toEqual({ message: words });
});

test("a job id without measure is on the error, and not in its message", async () => {
  const body = { jobId: "x".repeat(2000), credits: 7 };
  const { error } = await outcomeOf("POST", { baseUrl, fetch: answering(Response.json(body)) });
  expect(error.jobId).toBe(body.jobId);
  expect(error.message.length).toBeLessThan(1000);
});

/** Like the headers of an implementation that brings its own. */
class OwnHeaders {
  readonly #entries: [string, string][];
  constructor(entries: [string, string][]) {
    this.#entries = entries;
  }
  get(wanted: string) {
    return this.#entries.find(([name]) => name === wanted)?.[1] ?? null;
  }
  *[Symbol.iterator]() {
    yield* this.#entries;
  }
}
