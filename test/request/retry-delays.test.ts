import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";

const baseUrl = "https://example.com/api/v1";
const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT");

beforeEach(() => {
  // Every form of a date is one of Greenwich.
  vi.stubEnv("TZ", "Asia/Tokyo");
  vi.useFakeTimers({ toFake: ["Date"], now });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void vi.useRealTimers());

/** How a read ends that is answered so each time. */
const refused = (status: number, headers: Record<string, string> = {}, maxRetries = 2) =>
  outcomeOf("GET", { baseUrl, fetch: async () => new Response("", { status, headers }), maxRetries });

const usual = [500, 1000, 2000, 4000, 8000, 8000, 8000];

test.each([
  ["the longest", 0, 1],
  ["the middle", 0.5, 0.875],
  ["the shortest", 1 - Number.EPSILON, 0.75],
])("delays grow from 0.5 s to 8 s: %s", async (_, random, share) => {
  vi.mocked(Math.random).mockReturnValue(random);
  const { delays } = await refused(500, {}, usual.length);
  expect(delays.map(Math.round)).toEqual(usual.map((delayMs) => Math.round(delayMs * share)));
});

test.each<[headers: Record<string, string>, delayMs: number]>([
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "60" }, 60_000],
  [{ "retry-after": "1.5" }, 1500],
  [{ "retry-after": ".25" }, 250],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:10 GMT" }, 10_000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, 0],
  [{ "retry-after": "Wednesday, 21-Oct-26 07:28:20 GMT" }, 20_000],
  [{ "retry-after": "Wed Oct 21 07:28:30 2026" }, 30_000],
  [{ "retry-after-ms": "33.5" }, 33.5],
  [{ "retry-after-ms": "250", "retry-after": "9999" }, 250],
  [{ "retry-after-ms": "soon", "retry-after": "3" }, 3000],
  // Of a header that came twice, the first value counts.
  [{ "retry-after": "5, 7" }, 5000],
  [{ "retry-after-ms": "250, 250" }, 250],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:10 GMT, Wed, 21 Oct 2026 07:28:10 GMT" }, 10_000],
  [{ "retry-after": "Wed Oct 21 07:28:30 2026, 5" }, 30_000],
  // The clock of the service is an hour ahead, or behind, or says nothing.
  [{ "retry-after": "Wed, 21 Oct 2026 08:28:10 GMT", date: "Wed, 21 Oct 2026 08:28:00 GMT" }, 10_000],
  [{ "retry-after": "Wed, 21 Oct 2026 06:28:10 GMT", date: "Wed, 21 Oct 2026 06:28:00 GMT" }, 10_000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:10 GMT", date: "today" }, 10_000],
])("an answer that asks for %j is waited for %s ms", async (headers, delayMs) => {
  const { error, delays } = await refused(503, headers);
  expect(delays).toEqual([delayMs, delayMs]);
  expect(error).toMatchObject({ retryAfterMs: delayMs, isRetryable: true, attempts: 3 });
});

test.each([
  ...[
    "",
    "-1",
    "NaN",
    "Infinity",
    "abc",
    "five, 5",
    "5;",
    "1e3",
    "0x10",
    "+5",
    "5 seconds",
    "1.2.3",
    ".",
    "5.",
  ],
  ...["Wed, 21 Oct 2026 07:27:59 GMT", "Wed, 99 Foo 2026", "2026-10-21T07:28:10Z"],
  ...[
    "21 Oct 2026 07:28:10 GMT",
    "Wednesday",
    "Wednesday, ",
    "On Wed, 21 Oct 2026 07:28:10 GMT",
    "9".repeat(400),
  ],
])("the senseless Retry-After %j counts as none", async (value) => {
  for (const name of ["retry-after", "retry-after-ms"]) {
    const { error, delays } = await refused(503, { [name]: value });
    expect(delays).toEqual(usual.slice(0, 2));
    expect(error).toMatchObject({ retryAfterMs: undefined, isRetryable: true });
  }
});

test("a Retry-After of very many digits that are no number is read at once", async () => {
  const value = `${"0".repeat(200_000)}x`;
  const { error } = await refused(400, { "retry-after": value, "retry-after-ms": value });
  expect(error).toMatchObject({ retryAfterMs: undefined });
});

test.each([
  ["retry-after", "60.001", 60_001],
  ["retry-after", "99999999999999999999", 1e23],
  ["retry-after", "Wed, 21 Oct 2026 07:29:01 GMT", 61_000],
  ["retry-after-ms", "60001", 60_001],
])("more than a minute is left to the caller: %s: %s", async (name, value, retryAfterMs) => {
  for (const method of ["GET", "POST"] as const) {
    for (const status of [429, 503]) {
      const fetch = async () => new Response("", { status, headers: { [name]: value } });
      const { error, elapsedMs } = await outcomeOf(method, { baseUrl, fetch });
      expect(error).toMatchObject({ status, retryAfterMs, isRetryable: false, attempts: 1 });
      expect(elapsedMs).toBe(0);
    }
  }
});

// Varnish adds one to every 503 of its own, also where the service took the request.
test("a create is not sent again after a 503 with a Retry-After", async () => {
  const fetch = async () => new Response("", { status: 503, headers: { "retry-after": "1" } });
  const { error } = await outcomeOf("POST", { baseUrl, fetch });
  expect(error).toMatchObject({ attempts: 1, charged: "maybe", isRetryable: false, retryAfterMs: 1000 });
});

test("an answer whose body broke off says when to send a read again", async () => {
  const pull = () => Promise.reject(new TypeError("terminated"));
  const fetch = async () => new Response(new ReadableStream({ pull }), { headers: { "retry-after": "4" } });
  expect((await outcomeOf("GET", { baseUrl, fetch })).delays).toEqual([4000, 4000]);
});
