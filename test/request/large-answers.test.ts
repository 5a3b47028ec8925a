import { ApiError, InvalidResponseError, ServerError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { type Answer, head, rawServer } from "../helpers/raw-server.js";

const limit = 10 * 1024 * 1024;

/** A good answer of so many bytes. */
const sized = (bytes: number) => JSON.stringify(goodBody).padEnd(bytes);

const ways: [how: string, answer: (status: number, bytes: number) => Answer][] = [
  [
    "with its length",
    (status, bytes) => (socket) => socket.end(head(status, { "content-length": bytes }) + sized(bytes)),
  ],
  ["without its length", (status, bytes) => (socket) => socket.end(head(status) + sized(bytes))],
];

describe.each(ways)("an answer %s", (_, answer) => {
  test.each(["GET", "POST"] as const)("of 10 MiB is taken: %s", async (method) => {
    const server = await rawServer(answer(200, limit));
    const { value, error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error).toBeUndefined();
    expect(value).toEqual(goodBody);
  });

  test.each(["GET", "POST"] as const)(
    "of a byte more is refused, and the rest is not read: %s",
    async (method) => {
      const server = await rawServer(answer(200, limit + 1));
      const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
      expect(error.constructor).toBe(InvalidResponseError);
      expect(error).toMatchObject({
        status: 200,
        body: undefined,
        charged: method === "GET" ? "no" : "maybe",
      });
      expect(error.message).toContain("more than 10485760 bytes");
      expect(error.jobId).toBe("job-1");
      expect(server.seen).toHaveLength(1);
      expect(elapsedMs).toBe(0);
    },
  );

  test.each([
    ["GET", 503, ServerError, "no", 3],
    ["POST", 503, ServerError, "maybe", 1],
    ["GET", 429, ApiError, "no", 3],
    ["POST", 429, ApiError, "no", 3],
    ["GET", 404, ApiError, "no", 1],
  ] as const)(
    "of a byte more means what its status says: %s with %s",
    async (method, status, errorClass, charged, attempts) => {
      const server = await rawServer(answer(status, limit + 1));
      const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toMatchObject({ status, charged, body: undefined, isRetryable: attempts > 1, attempts });
      expect(server.seen).toHaveLength(attempts);
    },
  );
});

test("an answer without end is refused at once", async () => {
  let open = true;
  const server = await rawServer((socket) => {
    socket.on("close", () => {
      open = false;
    });
    socket.write(head(200, { "transfer-encoding": "chunked" }));
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const write = () => {
      while (open && socket.write(chunk));
    };
    socket.on("drain", write);
    write();
  });
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(InvalidResponseError);
  await expect.poll(() => open).toBe(false);
});

test.each([
  ["a job id without end", `{"jobId":"${"x".repeat(limit / 2)}`],
  ["a job id of escapes that does not end", `{"jobId":"${"\\n".repeat(limit / 4)}`],
  ["white space after a job id's name", `{"jobId"${" ".repeat(limit / 2)}`],
  ["many job ids' names", '"jobId":['.repeat(limit / 16)],
])("%s is no trap", async (_, text) => {
  const server = await rawServer((socket) => socket.end(head(201) + text));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(InvalidResponseError);
  expect(error).toMatchObject({ charged: "maybe", jobId: undefined });
});

test("an answer with more faults than the stack has room for is an InvalidResponseError", async () => {
  const slides = new Array(500_000).fill(0);
  const body = { id: "job-1", status: "succeeded", result: { device: "iphone-69", slides }, error: null };
  const { error } = await outcomeOf("GET", {
    baseUrl: "https://example.com/api/v1",
    fetch: async () => new Response(JSON.stringify(body)),
  });
  expect(error.constructor).toBe(InvalidResponseError);
  expect(error.jobId).toBe("job-1");
});
