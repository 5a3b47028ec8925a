import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { backoffMs, expectElapsed, goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";

const paths = { GET: "/api/v1/public/v1/jobs/job-1", POST: "/api/v1/public/v1/screenshots" };

/** How often a request is sent that is answered so each time, and what a create was charged. */
const rows: [
  status: number,
  errorClass: typeof ApiError,
  reads: 1 | 3,
  creates: 1 | 3,
  charged: "no" | "maybe",
][] = [
  [400, BadRequestError, 1, 1, "no"],
  [401, AuthenticationError, 1, 1, "no"],
  [402, PaymentRequiredError, 1, 1, "no"],
  [403, PermissionDeniedError, 1, 1, "no"],
  [404, NotFoundError, 1, 1, "no"],
  [405, ApiError, 1, 1, "no"],
  [408, ApiError, 3, 1, "maybe"],
  [409, ConflictError, 1, 1, "no"],
  [410, ApiError, 1, 1, "no"],
  [413, ApiError, 1, 1, "no"],
  [422, UnprocessableEntityError, 1, 1, "no"],
  [425, ApiError, 1, 1, "no"],
  [429, RateLimitError, 3, 3, "no"],
  [499, ApiError, 1, 1, "no"],
  [500, ServerError, 3, 1, "maybe"],
  [501, ServerError, 1, 1, "maybe"],
  [502, ServerError, 3, 1, "maybe"],
  [503, ServerError, 3, 1, "maybe"],
  [504, ServerError, 3, 1, "maybe"],
  [505, ServerError, 1, 1, "maybe"],
  [520, ServerError, 1, 1, "maybe"],
  [599, ServerError, 1, 1, "maybe"],
];

const later = rows.filter(
  ([status]) => [402, 408, 409, 425].includes(status) || (status >= 429 && status <= 504),
);

const others = Array.from({ length: 200 }, (_, index) => 400 + index).filter(
  (status) => !rows.some(([one]) => one === status),
);

describe.each(["GET", "POST"] as const)("a %s that is answered", (method) => {
  test.each(rows)("%s", async (status, errorClass, reads, creates, charged) => {
    const body = { error: { message: "the words", code: 7 } };
    const server = await rawServer(reply(status, body, { "x-request-id": "request-1", "x-more": "kept" }));

    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });

    const attempts = method === "GET" ? reads : creates;
    expect(error.constructor).toBe(errorClass);
    expect(error).toMatchObject({
      ...{ status, method, attempts, body, requestId: "request-1", retryAfterMs: undefined },
      path: paths[method].slice("/api/v1".length),
      isRetryable: attempts > 1,
      charged: method === "GET" ? "no" : charged,
    });
    expect(error.headers.get("x-more")).toBe("kept");
    expect(error.message).toMatch(
      new RegExp(`^${method === "GET" ? "getJob" : "createScreenshots"} failed with ${status}: the words\\.`),
    );
    expect(error.message.includes("check the credits")).toBe(error.charged === "maybe");
    expect(server.seen.map(({ method, path }) => [method, path])).toEqual(
      Array(attempts).fill([method, paths[method]]),
    );
    expectElapsed(elapsedMs, 0, attempts - 1);
  });

  test("any other 4xx or 5xx fails with it, sent once", async () => {
    let status = 0;
    const server = await rawServer((...args) => reply(status)(...args));
    for (status of others) {
      server.seen.length = 0;
      const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
      expect(error.constructor).toBe(status < 500 ? ApiError : ServerError);
      const charged = method === "GET" || status < 500 ? "no" : "maybe";
      expect(error).toMatchObject({ status, charged, attempts: 1, isRetryable: false });
      expect([status, server.seen.length, elapsedMs]).toEqual([status, 1, 0]);
    }
  });

  test.each(later)("%s with Retry-After", async (status, errorClass, reads, creates, charged) => {
    const server = await rawServer(reply(status, "", { "retry-after": 7 }));
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    const attempts = method === "GET" ? reads : creates;
    expect(error.constructor).toBe(errorClass);
    expect(error).toMatchObject({ attempts, body: undefined, retryAfterMs: 7000, isRetryable: attempts > 1 });
    expect(error.charged).toBe(method === "GET" ? "no" : charged);
    expect(server.seen).toHaveLength(attempts);
    expect(elapsedMs).toBe(7000 * (attempts - 1));
  });

  test.each(later)(
    "%s with a Retry-After of more than a minute is not sent again",
    async (status, errorClass, _, __, charged) => {
      const server = await rawServer(reply(status, "", { "retry-after": 60.001 }));
      const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
      expect(error.constructor).toBe(errorClass);
      expect(error).toMatchObject({ attempts: 1, retryAfterMs: 60_001, isRetryable: false });
      expect(error.charged).toBe(method === "GET" ? "no" : charged);
      expect(server.seen).toHaveLength(1);
      expect(elapsedMs).toBe(0);
    },
  );

  test("a transient status first is tried again until it is not", async () => {
    const statuses = method === "GET" ? [503, 504] : [429, 429];
    const server = await rawServer((...args) => reply(statuses[args[2]] ?? 200, goodBody)(...args));
    const { value, delays, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(value).toEqual(goodBody);
    expect(server.seen).toHaveLength(3);
    expect(delays).toHaveLength(2);
    expect(elapsedMs).toBeLessThanOrEqual(backoffMs(2));
  });

  test("a refusal that follows a retry ends the call with what it says", async () => {
    const server = await rawServer((...args) => reply(args[2] === 0 ? 429 : 402)(...args));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(PaymentRequiredError);
    expect(error).toMatchObject({ attempts: 2, charged: "no", isRetryable: false });
  });

  test.each([0, 1, 5])("429 is sent again maxRetries = %s times", async (maxRetries) => {
    const server = await rawServer(reply(429));
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl, maxRetries });
    expect(error).toMatchObject({ attempts: maxRetries + 1, isRetryable: true });
    expect(server.seen).toHaveLength(maxRetries + 1);
    expectElapsed(elapsedMs, 0, maxRetries);
  });
});
