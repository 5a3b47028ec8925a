import { inspect } from "node:util";
import fc from "fast-check";
import { ApiError, ConnectionError, InvalidResponseError, TimeoutError } from "screenshot-sets";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { goodBody, type Method, outcomeOf } from "../helpers/outcome-of.js";
import { RequestClock } from "../helpers/request-clock.js";

/** A right answer, nearly one, or nothing of the kind, in pieces of any size. */
const text = fc.oneof(
  fc.constant(JSON.stringify(goodBody)),
  fc
    .dictionary(fc.constantFrom("jobId", "id", "status", "result", "credits"), fc.jsonValue())
    .map((odd) => JSON.stringify({ ...goodBody, ...odd })),
  fc.json(),
  fc.string({ unit: "binary" }),
);
const pieces = fc.tuple(text, fc.array(fc.nat(), { maxLength: 6 })).map(([whole, cuts]) => {
  const bytes = Buffer.from(whole);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
});
const headerNames = ["retry-after", "retry-after-ms", "content-type", "location", "x-request-id", "x-any"];
const headerValue = fc.oneof(
  fc.constantFrom("0", "1", "61", "1e9", "-1", "", "Wed, 21 Oct 2026 07:28:00 GMT"),
  fc.string({ unit: "grapheme-ascii", maxLength: 30 }),
);
const answer = fc.record({
  status: fc.oneof(
    fc.constantFrom(200, 201, 204, 307, 401, 404, 429, 503),
    fc.integer({ min: 200, max: 599 }),
  ),
  headers: fc.array(fc.tuple(fc.constantFrom(...headerNames), headerValue), { maxLength: 5 }),
  pieces,
  /** How it ends after its pieces, if there is one at all: as it should, broken, or never. */
  end: fc.constantFrom("close", "close", "break", "break", "stall", "stall", "no answer"),
  thrown: fc.anything({ withDate: true, withMap: true, withNullPrototype: true }),
});

/** The answer of a `fetch`, whose body comes in pieces. */
function made({
  status,
  headers,
  pieces,
  end,
  thrown,
}: typeof answer extends fc.Arbitrary<infer Made> ? Made : never) {
  if (end === "no answer") throw thrown;
  const left = [...pieces];
  const pull = (controller: ReadableStreamDefaultController) => {
    const piece = left.shift();
    if (piece) controller.enqueue(piece);
    else if (end === "close") controller.close();
    else if (end === "break") controller.error(thrown);
    else return new Promise<void>(() => {});
    return undefined;
  };
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? new ReadableStream({ pull }) : null, { status, headers });
}

const baseUrl = "https://example.com/api/v1";
const errorClasses = [ApiError, ConnectionError, TimeoutError, InvalidResponseError];

test("whatever fetch does, a call ends in a right answer or in one of our errors", async () => {
  const answers = fc.array(answer, { minLength: 1, maxLength: 3 });
  const method = fc.constantFrom<Method>("GET", "POST");
  const property = fc.asyncProperty(method, answers, async (method, given) => {
    const clock = new RequestClock();
    let sent = 0;
    const fetch = async () => {
      const one = given[Math.min(sent++, given.length - 1)] as (typeof given)[number];
      if (one.end === "stall") void clock.expire();
      return made(one);
    };
    const { value, error } = await outcomeOf(method, { baseUrl, fetch }, clock);
    if (error === undefined) {
      const ids = method === "GET" ? ["id", "status"] : ["jobId"];
      for (const name of ids) expect((value as Record<string, unknown>)[name]).toBeTypeOf("string");
    } else {
      expect(errorClasses.some((errorClass) => error instanceof errorClass)).toBe(true);
      expect(error.message).toMatch(/^(getJob|createScreenshots) /);
      expect(method === "GET" ? ["no"] : ["no", "maybe"]).toContain(error.charged);
      expect(error.attempts ?? sent).toBe(sent);
      expect(() => inspect(error, { depth: 10 }) + JSON.stringify(error) + error).not.toThrow();
    }
    // Only a 429 lets a create be sent again; nothing that is thrown here is a failure to connect.
    const before = given.slice(0, sent - 1);
    if (method === "POST")
      expect(before.every(({ status, end }) => status === 429 && end !== "no answer")).toBe(true);
  });
  await fc.assert(property, { numRuns: draws(300) });
}, 300_000);
