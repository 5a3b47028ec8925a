import { isMainThread } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";

const baseUrl = "https://example.com/api/v1";
const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A `fetch` that answers with one status, the headers always the same, and counts. */
function refusing(status: number, headers: HeadersInit = {}) {
  const counted = Object.assign(
    async () => {
      counted.sent++;
      return new Response("", { status, headers });
    },
    { sent: 0 },
  );
  return counted;
}

const usual = [500, 1000, 2000, 4000, 8000, 8000, 8000];

test.each([
  ["the longest delay", 0, 1],
  ["the middle", 0.5, 0.875],
  ["the shortest delay", 1 - Number.EPSILON, 0.75],
])("doubles the delay from 0.5 s to 8 s: %s", async (_, random, share) => {
  vi.mocked(Math.random).mockReturnValue(random);
  const { delays } = await outcomeOf("GET", { baseUrl, fetch: refusing(500), maxRetries: usual.length });
  expect(delays).toHaveLength(usual.length);
  for (const [index, delay] of delays.entries()) expect(delay).toBeCloseTo((usual[index] ?? 0) * share, 6);
});

test("does not overflow after a thousand retries", async () => {
  const { delays } = await outcomeOf("GET", { baseUrl, fetch: refusing(500), maxRetries: 1100 });
  expect(delays.at(-1)).toBe(8000);
});

const sensible: [headers: Record<string, string>, delayMs: number][] = [
  [{ "retry-after": "1" }, 1000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "60" }, 60_000],
  [{ "retry-after": "1.5" }, 1500],
  [{ "retry-after": ".25" }, 250],
  [{ "retry-after": "007" }, 7000],
  [{ "retry-after": " 2 " }, 2000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:10 GMT" }, 10_000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, 0],
  [{ "retry-after": "Wednesday, 21-Oct-26 07:28:20 GMT" }, 20_000],
  [{ "retry-after": "Wed Oct 21 07:28:30 2026" }, 30_000],
  [{ "retry-after-ms": "1" }, 1],
  [{ "retry-after-ms": "33.5" }, 33.5],
  [{ "retry-after-ms": "0", "retry-after": "5" }, 0],
  [{ "retry-after-ms": "250", "retry-after": "9999" }, 250],
  [{ "retry-after-ms": "soon", "retry-after": "3" }, 3000],
  [{ "retry-after-ms": "-5", "retry-after": "3" }, 3000],
];

const senseless = [
  ...["", "-1", "NaN", "Infinity", "abc", "5, 5", "5;", "1e3", "0x10", "+5", "5 seconds", "1.2.3", ".", "5."],
  ...[
    "Wed, 21 Oct 2026 07:27:59 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Wed, 99 Foo 2026",
    "2026-10-21T07:28:10Z",
  ],
  ...["21 Oct 2026 07:28:10 GMT", "Wednesday", "On Wed, 21 Oct 2026 07:28:10 GMT", "null", "9".repeat(400)],
];

/** What a proxy answers 503 the service may have taken, whatever the proxy says of another time. */
const comesBackAfter = { GET: [429, 503], POST: [429] };

describe.each(["GET", "POST"] as const)("a %s that is told to come back", (method) => {
  test.each(sensible)("with %j comes back after %s ms", async (headers, delayMs) => {
    for (const status of comesBackAfter[method]) {
      const fetch = refusing(status, headers);
      const { error, delays } = await outcomeOf(method, { baseUrl, fetch });
      expect(delays).toEqual([delayMs, delayMs]);
      expect(error).toMatchObject({ retryAfterMs: delayMs, isRetryable: true, charged: "no", attempts: 3 });
      expect(fetch.sent).toBe(3);
    }
  });

  test.each(senseless)("with the senseless %j comes back as usual", async (value) => {
    for (const name of ["retry-after", "retry-after-ms"]) {
      const { error, delays } = await outcomeOf(method, { baseUrl, fetch: refusing(429, { [name]: value }) });
      expect(delays).toEqual(usual.slice(0, 2));
      expect(error).toMatchObject({ retryAfterMs: undefined, isRetryable: true });
    }
  });

  test.each([
    ["60.001", 60_001],
    ["3600", 3_600_000],
    ["99999999999999999999", 1e23],
    ["Wed, 21 Oct 2026 07:29:01 GMT", 61_000],
  ])("after %s is left to the caller", async (value, retryAfterMs) => {
    for (const status of comesBackAfter[method]) {
      const fetch = refusing(status, { "retry-after": value });
      const { error, elapsedMs } = await outcomeOf(method, { baseUrl, fetch });
      expect(error).toMatchObject({ retryAfterMs, isRetryable: false, attempts: 1, charged: "no" });
      expect([fetch.sent, elapsedMs]).toEqual([1, 0]);
    }
  });

  test("after 60,001 ms is left to the caller", async () => {
    const fetch = refusing(429, { "retry-after-ms": "60001" });
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    expect(error).toMatchObject({ retryAfterMs: 60_001, isRetryable: false, attempts: 1 });
  });

  test("far away by an answer whose body breaks off does not wait for it", async () => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      const body = new ReadableStream({
        pull: (controller) => controller.error(new TypeError("terminated")),
      });
      return new Response(body, { status: 429, headers: { "retry-after": "3600" } });
    };
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl, fetch });
    expect(error).toMatchObject({ name: "ConnectionError", charged: "no", attempts: 1 });
    expect([sent, elapsedMs]).toEqual([1, 0]);
  });
});

test.each([500, 502, 503, 504, 520, 599])(
  "a create is not sent again after a %d, whatever time it names",
  async (status) => {
    for (const [headers, retryAfterMs] of [...sensible, [{}, undefined] as const]) {
      const fetch = refusing(status, headers);
      const { error } = await outcomeOf("POST", { baseUrl, fetch });
      expect(error).toMatchObject({ attempts: 1, charged: "maybe", isRetryable: false, retryAfterMs });
      expect(fetch.sent).toBe(1);
    }
  },
);

test("each retry takes what its own answer asks for", async () => {
  const asked = ["2", undefined, "0.1"];
  let sent = 0;
  const fetch = async () => {
    const seconds = asked[sent++];
    if (sent > asked.length) return Response.json(goodBody);
    return new Response("", { status: 429, ...(seconds && { headers: { "retry-after": seconds } }) });
  };
  const { value, delays } = await outcomeOf("POST", { baseUrl, fetch, maxRetries: 3 });
  expect(value).toEqual(goodBody);
  expect(delays).toEqual([2000, 1000, 100]);
});

test("the answer that a read got before its body broke says when to come back", async () => {
  let sent = 0;
  const fetch = async () => {
    if (sent++ > 0) return Response.json(goodBody);
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
    return new Response(body, { status: 200, headers: { "retry-after": "4" } });
  };
  const { value, delays } = await outcomeOf("GET", { baseUrl, fetch });
  expect(value).toEqual(goodBody);
  expect(delays).toEqual([4000]);
});

// A thread, as Stryker runs tests in, cannot change the time zone of its process.
test.runIf(isMainThread).each(["Asia/Tokyo", "America/New_York"])(
  "every form of a date is one of Greenwich, also in %s",
  async (zone) => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      expect(new Date(now).getHours()).not.toBe(7);
      for (const value of [
        "Wed, 21 Oct 2026 07:28:30 GMT",
        "Wednesday, 21-Oct-26 07:28:30 GMT",
        "Wed Oct 21 07:28:30 2026",
      ]) {
        const { delays } = await outcomeOf("GET", {
          baseUrl,
          fetch: refusing(429, { "retry-after": value }),
        });
        expect(delays).toEqual([30_000, 30_000]);
      }
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  },
);
