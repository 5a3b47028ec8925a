import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { mayFailWith } from "../helpers/documented-errors.js";
import { rejection } from "../helpers/rejection.js";
import { job, type Reply, waitScene } from "../helpers/wait-scene.js";

const failure = (code: string, syscall: string) =>
  Object.assign(new TypeError("fetch failed"), {
    cause: Object.assign(new Error(code), { code, syscall }),
  });
/** An answer whose body ends before its time. */
const broken = (reason: unknown) => () => ({
  status: 200,
  stream: new ReadableStream({ pull: (controller) => controller.error(reason) }),
});
const terms = { minDelayMs: 1000, maxDelayMs: 1000, timeoutMs: 10_000 };

const transient: [what: string, reply: () => Reply, name: string][] = [
  ["a connection that is refused", () => ({ throws: failure("ECONNREFUSED", "connect") }), "ConnectionError"],
  ["a host that is not found", () => ({ throws: failure("ENOTFOUND", "getaddrinfo") }), "ConnectionError"],
  ["a connection that is reset", () => ({ throws: failure("ECONNRESET", "read") }), "ConnectionError"],
  ["a certificate that is refused", () => ({ throws: failure("CERT_HAS_EXPIRED", "") }), "ConnectionError"],
  ["a body that breaks off as undici says so", broken(new TypeError("terminated")), "ConnectionError"],
  [
    "a body that breaks off with an error of its own class",
    broken(new RangeError("gone")),
    "ConnectionError",
  ],
  ["a body that breaks off with a text", broken("gone"), "ConnectionError"],
  ["a body that breaks off without a word", broken(undefined), "ConnectionError"],
  ...[408, 429, 500, 501, 502, 503, 504, 520, 599].map((status): [string, () => Reply, string] => [
    `a ${status}`,
    () => ({ status }),
    status === 408 ? "ApiError" : status === 429 ? "RateLimitError" : "ServerError",
  ]),
];

test.each(transient)("polls on at its pace through %s, until the job ends", async (_, reply) => {
  const scene = waitScene(({ at }) => (at < 5000 ? reply() : "succeeded"));
  const found = await scene.client.waitForJob("job-1", terms);
  expect(found.status).toBe("succeeded");
  expect(scene.times()).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
});

test.each(transient)("polls on at its pace through %s, until the deadline", async (_, reply, name) => {
  const scene = waitScene(reply);
  const error = await rejection(scene.client.waitForJob("job-1", terms));
  expect(scene.times()).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9500]);
  expect(error).toMatchObject({
    name: "JobTimeoutError",
    job: undefined,
    polls: 10,
    elapsedMs: 10_000,
    cause: { name, jobId: "job-1" },
  });
  expect(scene.now()).toBe(10_000);
});

test("polls on through attempts that time out, until the deadline", async () => {
  const scene = waitScene(() => "hang", { timeoutMs: 2000 });
  const error = await rejection(scene.client.waitForJob("job-1", terms));
  expect(scene.polls).toMatchObject([
    { at: 0, endedAt: 2000 },
    { at: 3000, endedAt: 5000 },
    { at: 6000, endedAt: 8000 },
    { at: 9500, endedAt: 10_000 },
  ]);
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 4, cause: { name: "TimeoutError" } });
  await scene.expectNothingLeft();
});

test("sends each poll once, whatever maxRetries says", async () => {
  const scene = waitScene(({ count }) => (count < 3 ? { status: 503 } : "succeeded"), { maxRetries: 5 });
  await scene.client.waitForJob("job-1", { ...terms, maxRetries: 5 });
  expect(scene.times()).toEqual([0, 1000, 2000, 3000]);
});

const fatal: [what: string, reply: Reply, name: string][] = [
  ...(
    [
      [400, "BadRequestError"],
      [401, "AuthenticationError"],
      [402, "PaymentRequiredError"],
      [403, "PermissionDeniedError"],
      [404, "NotFoundError"],
      [409, "ConflictError"],
      [410, "ApiError"],
      [422, "UnprocessableEntityError"],
    ] as const
  ).map(([status, name]): [string, Reply, string] => [`a ${status}`, { status }, name]),
  ["a redirect", { status: 302, headers: { location: "/elsewhere" } }, "InvalidResponseError"],
  ["a page of HTML", { status: 200, body: "<html>" }, "InvalidResponseError"],
  ["no body", { status: 200, body: "" }, "InvalidResponseError"],
  [
    "a job without a status",
    { status: 200, body: { id: "job-1", result: null, error: null } },
    "InvalidResponseError",
  ],
  [
    "a job that succeeded without a result",
    { status: 200, body: { ...job("job-1", "succeeded"), result: null } },
    "InvalidResponseError",
  ],
  ["an error of fetch that is none of the network", { throws: new RangeError("bug") }, "ConnectionError"],
];

test.each(fatal)("ends at once with %s", async (_, reply, name) => {
  const scene = waitScene(({ count }) => (count < 2 ? "running" : reply));
  const error = await rejection(scene.client.waitForJob("job-1", terms));
  expect(error).toMatchObject({ name, jobId: "job-1", charged: "no" });
  expect(scene.times()).toEqual([0, 1000, 2000]);
  expect(scene.now()).toBe(2000);
  await scene.expectNothingLeft();
});

test("ends at once where fetch gives the same Response for each poll, as a stub may", async () => {
  const answer = Response.json(job("job-1", "running"));
  let asked = 0;
  const fetch = async () => {
    asked++;
    return answer;
  };
  const client = new ScreenshotSets({ ...createMock().clientOptions, fetch });
  const error = await rejection(client.waitForJob("job-1"));
  expect(error).toMatchObject({ name: "ConnectionError", jobId: "job-1", attempts: 1 });
  expect(error).toHaveProperty("message", expect.stringContaining("a Response that nobody has read"));
  expect(asked).toBe(2);
});

test.each([429, 500, 502, 503])("follows the Retry-After of a %d, beyond a minute too", async (status) => {
  const scene = waitScene(({ count }) =>
    count === 0
      ? { status, headers: { "retry-after": "7.5" } }
      : count === 1
        ? { status, headers: { "retry-after": "240" } }
        : "succeeded",
  );
  await scene.client.waitForJob("job-1", { ...terms, timeoutMs: 600_000 });
  expect(scene.times()).toEqual([0, 7500, 247_500]);
});

test("a 503 with Retry-After slows only its own job", async () => {
  const scene = waitScene(({ jobId, at, count }) => {
    if (jobId === "slowed" && count === 0) return { status: 503, headers: { "retry-after": "5" } };
    return at < 5000 ? "running" : "succeeded";
  });
  await Promise.all(["slowed", "other"].map((id) => scene.client.waitForJob(id, terms)));
  expect(scene.times("slowed")).toEqual([0, 5000]);
  expect(scene.times("other")).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
});

test.each([429, 503])("ends at once with a %d whose Retry-After points past the deadline", async (status) => {
  const scene = waitScene(({ count }) =>
    count === 0 ? "running" : { status, headers: { "retry-after": "9.001" } },
  );
  const error = await rejection(scene.client.waitForJob("job-1", terms));
  expect(error).toMatchObject({ status, retryAfterMs: 9001, jobId: "job-1" });
  expect(scene.now()).toBe(1000);
  await scene.expectNothingLeft();
});

test("polls a last time where the Retry-After of a failure allows it, and not before", async () => {
  const scene = waitScene(({ count }) =>
    count === 0 ? { status: 503, headers: { "retry-after": "9.8" } } : "running",
  );
  const error = await rejection(scene.client.waitForJob("job-1", terms));
  expect(scene.times()).toEqual([0, 9800]);
  expect(error).toMatchObject({ name: "JobTimeoutError", elapsedMs: 10_000 });
});

test("waits to the deadline when a Retry-After points right at it", async () => {
  const scene = waitScene(() => ({ status: 503, headers: { "retry-after": "10" } }));
  const error = await rejection(scene.client.waitForJob("job-1", terms));
  expect(scene.times()).toEqual([0]);
  expect(error).toMatchObject({ name: "JobTimeoutError", elapsedMs: 10_000, cause: { status: 503 } });
});

test("asks a key function that gives another key after a 401 within the same poll, and counts both requests", async () => {
  let key = "old";
  const scene = waitScene(
    ({ count }) => {
      if (count !== 1) return "running";
      key = "new";
      return { status: 401 };
    },
    { apiKey: () => key },
  );
  const error = await rejection(scene.client.waitForJob("job-1", { ...terms, timeoutMs: 2500 }));
  expect(scene.times()).toEqual([0, 1000, 1000, 2250]);
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 4 });
});

test("ends at once when the key function throws, and names the job", async () => {
  let asked = 0;
  const apiKey = () => {
    if (++asked > 1) throw new Error("no vault");
    return "key";
  };
  const scene = waitScene(() => "running", { apiKey });
  const error = await rejection(scene.client.waitForJob("job-1", terms));
  expect(error).toMatchObject({ name: "ConfigurationError", jobId: "job-1", cause: { message: "no vault" } });
  expect(scene.times()).toEqual([0]);
  expect(scene.now()).toBe(1000);
});

const failures = [
  [{ message: "no listing" }, "Job job-1 failed: no listing."],
  [{ message: "No listing!" }, "Job job-1 failed: No listing!"],
  [{ detail: "no listing" }, "Job job-1 failed: no listing."],
  [{ error: { code: 7, message: "no listing" } }, "Job job-1 failed: no listing."],
  [{ message: "\u001b[2Jno\nlisting" }, "Job job-1 failed: [2Jno listing."],
  [{ message: "x".repeat(600) }, `Job job-1 failed: ${"x".repeat(500)}…`],
  [{ code: 7 }, "Job job-1 failed. Its `error` says why."],
  [null, "Job job-1 failed."],
] as const;

test.each(failures.filter(([error]) => mayFailWith(error)))(
  "says in words why a job failed, where the service does: %j",
  async (error, words) => {
    const body = { id: "job-1", status: "failed", result: null, error };
    const scene = waitScene(() => ({ status: 200, body }));
    const failure = await rejection(scene.client.waitForJob("job-1"));
    expect(failure).toMatchObject({ name: "JobFailedError", job: { error } });
    expect(failure.message).toBe(words);
  },
);

test.each(["failed", "pau\u001b[31m\nsed"])(
  "names a job that is %j on one line, whatever its id",
  async (status) => {
    const id = "job\u001b[2J\n1";
    const scene = waitScene(() => ({ status: 200, body: { id, status, result: null, error: null } }));
    const error = await rejection(scene.client.waitForJob(id, terms));
    expect(error.jobId).toBe(id);
    expect(error.message).toMatch(
      status === "failed"
        ? "Job job [2J 1 failed."
        : /^Job job \[2J 1 did not end .* it was pau \[31m sed when last/,
    );
  },
);
