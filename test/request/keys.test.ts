import { AuthenticationError, ConfigurationError, RateLimitError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";
import { RequestClock } from "../helpers/request-clock.js";

/** A key function that gives these in turn, the last one for ever; it throws those that are errors. */
function giving(...keys: unknown[]) {
  const give = Object.assign(
    async () => {
      const key = keys[Math.min(give.asked++, keys.length - 1)];
      if (key instanceof Error) throw key;
      return key as string;
    },
    { asked: 0 },
  );
  return give;
}

/** A server that takes one key and answers any other with 401, and the keys that it was shown. */
async function guarded(good: string) {
  const server = await rawServer((socket, seen, index) =>
    seen.headers.authorization === `Bearer ${good}`
      ? reply(200, goodBody)(socket, seen, index)
      : reply(401, { message: "Revoked" })(socket, seen, index),
  );
  return { server, shown: () => server.seen.map(({ headers }) => headers.authorization?.slice(7)) };
}

describe.each(["GET", "POST"] as const)("of a %s", (method) => {
  test.each([
    ["a string", "key-1"],
    ["a function", () => "key-1"],
    ["a function that takes its time", async () => "key-1"],
  ])("the key from %s is in the one header, and nowhere else", async (_, apiKey) => {
    for (const authHeader of ["authorization", "x-api-key"] as const) {
      const server = await rawServer(reply(200, goodBody));
      const options = { baseUrl: server.baseUrl, apiKey, authHeader };
      expect((await outcomeOf(method, options)).value).toEqual(goodBody);
      const [{ headers, ...rest } = { headers: {} as Record<string, string> }] = server.seen;
      expect(headers[authHeader]).toBe(authHeader === "authorization" ? "Bearer key-1" : "key-1");
      expect(JSON.stringify([{ ...headers, [authHeader]: "" }, rest])).not.toContain("key-1");
    }
  });

  test("the key function is asked once a call, however often that is sent", async () => {
    const server = await rawServer(reply(429));
    const apiKey = giving("key-1", "key-2", "key-3");
    await outcomeOf(method, { baseUrl: server.baseUrl, apiKey });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill("Bearer key-1"));
    expect(apiKey.asked).toBe(1);
    await outcomeOf(method, { baseUrl: server.baseUrl, apiKey });
    expect(apiKey.asked).toBe(2);
    expect(server.seen[3]?.headers.authorization).toBe("Bearer key-2");
  });

  test.each([0, 2])("a key that was rotated costs no failed call with maxRetries %s", async (maxRetries) => {
    const { server, shown } = await guarded("key-2");
    const apiKey = giving("key-1", "key-2");
    const { value, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey, maxRetries });
    expect(value).toEqual(goodBody);
    expect(shown()).toEqual(["key-1", "key-2"]);
    expect([apiKey.asked, elapsedMs]).toEqual([2, 0]);
  });

  test("a key that did not change is not sent again after a 401", async () => {
    const { server, shown } = await guarded("key-2");
    const apiKey = giving("key-1");
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey });
    expect(error.constructor).toBe(AuthenticationError);
    expect(error).toMatchObject({ attempts: 1, charged: "no", isRetryable: false });
    expect([shown(), apiKey.asked]).toEqual([["key-1"], 2]);
  });

  test("a key is rotated once a call", async () => {
    const { server, shown } = await guarded("key-3");
    const apiKey = giving("key-1", "key-2", "key-3");
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey });
    expect(error.constructor).toBe(AuthenticationError);
    expect(error).toMatchObject({ attempts: 2, charged: "no" });
    expect([shown(), apiKey.asked]).toEqual([["key-1", "key-2"], 2]);
  });

  test("a string is not asked for another key", async () => {
    const { server, shown } = await guarded("key-2");
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey: "key-1" });
    expect(error).toMatchObject({ name: "AuthenticationError", attempts: 1 });
    expect(shown()).toEqual(["key-1"]);
  });

  test("a rotation uses up none of the retries, before or after them", async () => {
    for (const statuses of [
      [401, 429, 429],
      [429, 401, 429],
      [429, 429, 401],
    ]) {
      const server = await rawServer((...args) => reply(statuses[args[2]] ?? 200, goodBody)(...args));
      const apiKey = giving("key-1", "key-2");
      const { value, delays } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey });
      expect(value).toEqual(goodBody);
      expect(delays).toHaveLength(2);
      const rotatedAt = statuses.indexOf(401);
      expect(server.seen.map(({ headers }) => headers.authorization?.at(-1))).toEqual(
        [0, 1, 2, 3].map((index) => (index <= rotatedAt ? "1" : "2")),
      );
    }
  });

  test("a 401 whose body breaks off asks for another key as well", async () => {
    const pull = (controller: ReadableStreamDefaultController) =>
      controller.error(new TypeError("terminated"));
    const fetch: typeof globalThis.fetch = async (_, init) =>
      new Headers(init?.headers).get("authorization") === "Bearer key-2"
        ? Response.json(goodBody)
        : new Response(new ReadableStream({ pull }), { status: 401 });
    const apiKey = giving("key-1", "key-2");
    const options = { baseUrl: "https://example.com/api/v1", fetch, apiKey, maxRetries: 0 };
    expect((await outcomeOf(method, options)).value).toEqual(goodBody);
  });

  test("a 401 from where a fetch followed a redirect is sent with no other key", async () => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      return Object.defineProperty(new Response("", { status: 401 }), "redirected", { value: true });
    };
    const apiKey = giving("key-1", "key-2");
    const { error } = await outcomeOf(method, { baseUrl: "https://example.com/api/v1", fetch, apiKey });
    expect(error).toMatchObject({ name: "InvalidResponseError", charged: method === "GET" ? "no" : "maybe" });
    expect([sent, apiKey.asked]).toEqual([1, 1]);
  });

  test("a refusal of another kind asks for no other key", async () => {
    const server = await rawServer(reply(403));
    const apiKey = giving("key-1", "key-2");
    expect((await outcomeOf(method, { baseUrl: server.baseUrl, apiKey })).error.status).toBe(403);
    expect(apiKey.asked).toBe(1);
  });

  test("what the key function throws is the cause of a ConfigurationError", async () => {
    const cause = new Error("The vault is sealed");
    const server = await rawServer(reply(401));
    const throwing = () => {
      throw cause;
    };
    for (const [apiKey, sent] of [
      [giving(cause), 0],
      [throwing, 0],
      [giving("key-1", cause), 1],
    ] as const) {
      server.seen.length = 0;
      const { error } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey });
      expect(error.constructor).toBe(ConfigurationError);
      expect(error).toMatchObject({ cause, charged: "no" });
      expect(error.message).toBe("Failed to get the API key: the `apiKey` function threw.");
      expect(server.seen).toHaveLength(sent);
    }
  });

  test.each(["", " ", "a b", "key\n", "kéy", "key\u007f", "\ud83d\ude00", undefined, null, 7, {}, ["key"]])(
    "a key function that gives %j is refused, also after a 401",
    async (malformed) => {
      const server = await rawServer(reply(401));
      for (const apiKey of [giving(malformed), giving("key-1", malformed)]) {
        const { error } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey });
        expect(error.constructor).toBe(ConfigurationError);
        expect(error.message).toContain("what the `apiKey` function returns");
      }
      expect(server.seen).toHaveLength(1);
    },
  );

  test("an abort ends the wait for a key function that hangs, and nothing is sent", async () => {
    const server = await rawServer(reply(401));
    const hanging = () => new Promise<string>(() => {});
    for (const [keys, sent] of [
      [[hanging], 0],
      [[() => "key-1", hanging], 1],
    ] as const) {
      const watched = watchedSignal();
      const reason = { any: "reason" };
      let asked = 0;
      const apiKey = () => {
        const give = keys[asked++];
        if (give === hanging) setTimeout(() => watched.controller.abort(reason));
        return give?.() ?? "";
      };
      const { error } = await outcomeOf(
        method,
        { baseUrl: server.baseUrl, apiKey },
        new RequestClock(),
        watched,
      );
      expect(error).toBe(reason);
      expect(server.seen).toHaveLength(sent);
    }
  });

  test.each([
    ["gives one", async () => "key-1"],
    ["throws", () => Promise.reject(new Error("aborted"))],
    ["hangs", () => new Promise<string>(() => {})],
  ])("a key function that aborts the call and then %s sends nothing", async (_, end) => {
    const server = await rawServer(reply(200, goodBody));
    const watched = watchedSignal();
    const reason = new Error("The user left");
    const apiKey = () => {
      watched.controller.abort(reason);
      return end();
    };
    const { error } = await outcomeOf(
      method,
      { baseUrl: server.baseUrl, apiKey },
      new RequestClock(),
      watched,
    );
    expect(error).toBe(reason);
    expect(server.seen).toEqual([]);
  });

  test("a 429 that follows a rotation ends the call with what it says", async () => {
    const server = await rawServer((...args) => reply(args[2] === 0 ? 401 : 429)(...args));
    const apiKey = giving("key-1", "key-2");
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl, apiKey, maxRetries: 0 });
    expect(error.constructor).toBe(RateLimitError);
    expect(error).toMatchObject({ attempts: 2, isRetryable: true });
  });
});

test("a key that could not be had for a look at a job names the job, and for a create none", async () => {
  const options = { baseUrl: "http://localhost/api/v1", apiKey: giving(new Error("vault is shut")) };
  const { error } = await outcomeOf("GET", options);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ jobId: "job-1", charged: "no", cause: { message: "vault is shut" } });
  expect((await outcomeOf("POST", options)).error).toMatchObject({ jobId: undefined, charged: "no" });
});
