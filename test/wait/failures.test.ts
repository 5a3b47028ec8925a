import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { everySecond, job, type Reply, waitScene } from "../helpers/wait-scene.js";

const tenSeconds = { ...everySecond, timeoutMs: 10_000 };

const failure = (code: string, syscall: string) => ({
  throws: Object.assign(new TypeError("fetch failed"), {
    cause: Object.assign(new Error(code), { code, syscall }),
  }),
});
const later = (status: number, seconds: string) => ({ status, headers: { "retry-after": seconds } });

const transient: [what: string, reply: () => Reply, name: string][] = [
  ["a host that is not found", () => failure("ENOTFOUND", "getaddrinfo"), "ConnectionError"],
  ["a connection that is reset", () => failure("ECONNRESET", "read"), "ConnectionError"],
  ["a certificate that is refused", () => failure("CERT_HAS_EXPIRED", ""), "ConnectionError"],
  [
    "a body that breaks off without a word",
    () => ({ status: 200, stream: new ReadableStream({ pull: (controller) => controller.error() }) }),
    "ConnectionError",
  ],
  ["a 408", () => ({ status: 408 }), "ApiError"],
  ["a 429", () => ({ status: 429 }), "RateLimitError"],
  ["a 500", () => ({ status: 500 }), "ServerError"],
  ["a 599", () => ({ status: 599 }), "ServerError"],
];

test.each(transient)("polls on at its pace through %s, until the deadline", async (_, reply, name) => {
  const scene = waitScene(reply);
  const error = await rejection(scene.client.waitForJob("job-1", tenSeconds));
  expect(scene.times()).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9500]);
  expect(error).toMatchObject({
    name: "JobTimeoutError",
    job: undefined,
    polls: 10,
    elapsedMs: 10_000,
    cause: { name, jobId: "job-1" },
  });
});

test("polls on through attempts that time out, until the deadline", async () => {
  const scene = waitScene(() => "hang", { timeoutMs: 2000 });
  const error = await rejection(scene.client.waitForJob("job-1", tenSeconds));
  expect(scene.polls).toMatchObject([
    { at: 0, endedAt: 2000 },
    { at: 3000, endedAt: 5000 },
    { at: 6000, endedAt: 8000 },
    { at: 9500, endedAt: 10_000 },
  ]);
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 4, cause: { name: "TimeoutError" } });
});

test("sends each poll once, whatever maxRetries says", async () => {
  const scene = waitScene(({ count }) => (count < 3 ? { status: 503 } : "succeeded"), { maxRetries: 5 });
  await scene.client.waitForJob("job-1", { ...everySecond, maxRetries: 5 });
  expect(scene.times()).toEqual([0, 1000, 2000, 3000]);
});

const fatal: [what: string, reply: Reply, name: string][] = [
  ["a 401", { status: 401 }, "AuthenticationError"],
  ["a 404", { status: 404 }, "NotFoundError"],
  ["a 410", { status: 410 }, "ApiError"],
  ["a redirect", { status: 302, headers: { location: "/elsewhere" } }, "InvalidResponseError"],
  ["a page of HTML", { status: 200, body: "<html>" }, "InvalidResponseError"],
  ["an error of fetch that is none of the network", { throws: new RangeError("bug") }, "ConnectionError"],
];

test.each(fatal)("ends at once with %s", async (_, reply, name) => {
  const scene = waitScene(({ count }) => (count < 2 ? "running" : reply));
  const error = await rejection(scene.client.waitForJob("job-1", tenSeconds));
  expect(error).toMatchObject({ name, jobId: "job-1", charged: "no" });
  expect([scene.times(), scene.now()]).toEqual([[0, 1000, 2000], 2000]);
});

test("ends at once where fetch gives the same Response for each poll, as a stub may", async () => {
  const answer = Response.json(job("job-1", "running"));
  const { client } = waitScene(() => "hang", { fetch: async () => answer });
  const error = await rejection(client.waitForJob("job-1", tenSeconds));
  const cause = { name: "ResponseError" };
  expect(error).toMatchObject({ name: "ConnectionError", jobId: "job-1", attempts: 1, cause });
  expect(error.message).toContain("a Response that nobody has read");
});

test.each([429, 503])("follows the Retry-After of a %d, beyond a minute too", async (status) => {
  const scene = waitScene(({ count }) => [later(status, "7.5"), later(status, "240")][count] ?? "succeeded");
  await scene.client.waitForJob("job-1", everySecond);
  expect(scene.times()).toEqual([0, 7500, 247_500]);
});

test("a 503 with Retry-After slows only its own job", async () => {
  const scene = waitScene(({ jobId, at }) => {
    if (jobId === "slowed" && at === 0) return later(503, "5");
    return at < 5000 ? "running" : "succeeded";
  });
  await Promise.all(["slowed", "other"].map((id) => scene.client.waitForJob(id, everySecond)));
  expect(scene.times("slowed")).toEqual([0, 5000]);
  expect(scene.times("other")).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
});

test.each([429, 503])("ends at once with a %d whose Retry-After points past the deadline", async (status) => {
  const scene = waitScene(({ count }) => (count === 0 ? "running" : later(status, "9.001")));
  const error = await rejection(scene.client.waitForJob("job-1", tenSeconds));
  expect(error).toMatchObject({ status, retryAfterMs: 9001, jobId: "job-1" });
  expect(scene.now()).toBe(1000);
});

test.each([
  ["polls a last time where the Retry-After of a failure allows it, and not before", "9.8", [0, 9800]],
  ["waits to the deadline when a Retry-After points right at it", "10", [0]],
])("%s", async (_, seconds, times) => {
  const scene = waitScene(({ count }) => (count === 0 ? later(503, seconds) : "running"));
  const error = await rejection(scene.client.waitForJob("job-1", tenSeconds));
  expect(scene.times()).toEqual(times);
  expect(error).toMatchObject({ name: "JobTimeoutError", elapsedMs: 10_000 });
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
  const error = await rejection(scene.client.waitForJob("job-1", { ...everySecond, timeoutMs: 2500 }));
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
  const error = await rejection(scene.client.waitForJob("job-1", tenSeconds));
  expect(error).toMatchObject({ name: "ConfigurationError", jobId: "job-1", cause: { message: "no vault" } });
  expect(scene.times()).toEqual([0]);
  expect(scene.now()).toBe(1000);
});

const failures = [
  [{ message: "no listing" }, "Job job-1 failed: no listing."],
  [{ message: "No listing!" }, "Job job-1 failed: No listing!"],
  [{ code: 7 }, "Job job-1 failed. Its `error` says why."],
  [null, "Job job-1 failed."],
  [{}, "Job job-1 failed."],
  [{ message: " ", details: [{}] }, "Job job-1 failed."],
] as const;

test.each(failures)("says in words why a job failed, where the service does: %j", async (error, words) => {
  const scene = waitScene(() => ({ status: 200, body: { ...job("job-1", "failed"), error } }));
  const failure = await rejection(scene.client.waitForJob("job-1"));
  expect(failure).toMatchObject({ name: "JobFailedError", job: { error }, message: words });
});

test.each([
  ["failed", /^Job job \[2J 1 failed\.$/],
  ["pau\u001b[31m\nsed", /^Job job \[2J 1 did not end .* it was pau \[31m sed when last/],
])("names a job that is %j on one line, whatever its id", async (status, message) => {
  const id = "job\u001b[2J\n1";
  const scene = waitScene(() => ({ status: 200, body: { ...job(id, status), error: null } }));
  const error = await rejection(scene.client.waitForJob(id, tenSeconds));
  expect(error.jobId).toBe(id);
  expect(error.message).toMatch(message);
});
