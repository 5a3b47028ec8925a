import {
  AuthenticationError,
  ConfigurationError,
  RateLimitError,
  ScreenshotSets,
  TimeoutError,
} from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test } from "vitest";
import { goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";
import { attemptTimeoutMs, RequestClock } from "../helpers/request-clock.js";

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

/** A key function that returns nothing while the attempt's time runs out. */
const hanging = (clock: RequestClock) => () => {
  clock.expire();
  return new Promise<string>(() => {});
};

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

test.each(["GET", "POST"] as const)(
  "a %s ends in time where the key function never returns",
  async (method) => {
    const clock = new RequestClock();
    const options = { baseUrl: "http://localhost/api/v1", apiKey: hanging(clock) };
    const { error, elapsedMs } = await outcomeOf(method, options, clock);
    expect(error.constructor).toBe(TimeoutError);
    expect(error).toMatchObject({ charged: "no", attempts: 0 });
    expect(error).not.toHaveProperty("idempotencyKey");
    expect(error.message).toContain("the `apiKey` function returned no key within");
    expect(elapsedMs).toBe(attemptTimeoutMs);
  },
);

test("a create ends in time where the key function does not return after a 401", async () => {
  const server = await rawServer(reply(401));
  const clock = new RequestClock();
  const give = giving("key-1");
  const apiKey = () => (give.asked === 0 ? give() : hanging(clock)());
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl, apiKey }, clock);
  expect(error).toMatchObject({ name: "TimeoutError", charged: "no", attempts: 1 });
});

test.each([
  ["stays unknown for a minute", 600_000, 100_000],
  ["would cost the last poll", 30_000, 20_000],
])(
  "a key function that hangs once costs a wait nothing, though the key %s",
  async (_, timeoutMs, endsAfter) => {
    const mock = createMock({ lifecycle: { queued: 0, running: endsAfter, unit: "ms" } });
    let asked = 0;
    const apiKey = () => (++asked === 4 ? new Promise<string>(() => {}) : mock.clientOptions.apiKey);
    const client = new ScreenshotSets({ ...mock.clientOptions, apiKey });
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
    const job = await client.screenshots.createAndWait({ appId, device: "iphone-69" }, { timeoutMs });
    expect(job.status).toBe("succeeded");
    expect(asked).toBeGreaterThan(4);
  },
);

test("an answer that repeats its call's key does not show it, however many keys were used meanwhile", async () => {
  let answer = () => {};
  const server = await rawServer((...args) => {
    const { authorization } = args[1].headers;
    if (args[2] > 0) reply(200, goodBody)(...args);
    else answer = () => reply(400, { message: `Bad ${authorization}` })(...args);
  });
  let asked = 0;
  const client = new ScreenshotSets({ baseUrl: server.baseUrl, apiKey: () => `key-of-account-${++asked}` });
  const slow = rejection(client.jobs.get("job-1"));
  await expect.poll(() => server.seen).toHaveLength(1);
  for (let call = 0; call < 20; call++) await client.jobs.get("job-1");
  answer();
  const error = await slow;
  expect(error.message).toContain("Bad");
  expect(JSON.stringify([error.message, error.body])).not.toContain("key-of-account");
});

test("an answer that repeats the key of an earlier call, or of another one, shows none of them", async () => {
  const keys = ["sk_live_of_the_first_call", "sk_live_of_the_second_one"];
  const server = await rawServer(reply(402, { message: `Not ${keys.join(" nor ")}` }));
  const client = new ScreenshotSets({ baseUrl: server.baseUrl, apiKey: giving(...keys) });
  const errors = [];
  for (const _ of keys) errors.push(await client.jobs.get("job-1").catch((error) => error.message));
  expect(errors[1]).toContain("Not *** nor ***");
});
