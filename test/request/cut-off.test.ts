import type { Socket } from "node:net";
import { ConnectionError, TimeoutError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { type Method, outcomeOf } from "../helpers/outcome-of.js";
import { head, rawServer } from "../helpers/raw-server.js";
import { RequestClock } from "../helpers/request-clock.js";

const chunked = { "transfer-encoding": "chunked" };
const sentAtMost = { GET: 3, POST: 1 };

/** What the status says holds, though the body never comes whole; a create is not sent again all the same. */
const refusedInPart: [status: number, charged: Record<Method, string>][] = [
  [402, { GET: "no", POST: "no" }],
  [408, { GET: "no", POST: "maybe" }],
  [503, { GET: "no", POST: "maybe" }],
  [302, { GET: "no", POST: "maybe" }],
];
describe.each(["GET", "POST"] as const)("of a %s that is answered", (method) => {
  test.each(refusedInPart)("%s, the body breaks off", async (status, charged) => {
    const server = await rawServer((socket) => socket.end(`${head(status, { "content-length": 9 })}half`));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ status, charged: charged[method], attempts: sentAtMost[method] });
    expect(error.message).toContain(`the body of the ${status} answer broke off`);
  });

  test.each(refusedInPart)("%s, the body stalls", async (status, charged) => {
    const clock = new RequestClock();
    const server = await rawServer((socket) => {
      socket.write(`${head(status, { "content-length": 9 })}half`);
      void clock.expire();
    });
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl }, clock);
    expect(error.constructor).toBe(TimeoutError);
    expect(error).toMatchObject({ charged: charged[method], attempts: sentAtMost[method] });
    expect(server.seen).toHaveLength(sentAtMost[method]);
  });
});

test.each([
  ["cut off", ConnectionError, (socket: Socket, text: string) => socket.end(text)],
  ["stalled", TimeoutError, (socket: Socket, text: string) => socket.write(text)],
])("the job id of an acceptance that is %s is on the error", async (_, errorClass, write) => {
  const clock = new RequestClock();
  const server = await rawServer((socket) => {
    write(
      socket,
      `${head(201, { "content-length": 500 })}{"credits":{"cost":10,"jobId":1},"jobId" : "a\\"b\\u00e9"`,
    );
    if (errorClass === TimeoutError) void clock.expire();
  });
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl }, clock);
  expect(error.constructor).toBe(errorClass);
  expect(error).toMatchObject({ charged: "maybe", jobId: 'a"bé' });
  expect(error.message).toContain('a"bé');
});

// Node's `fetch` takes a connection that was said to close for the end of a chunked body.
test("an acceptance whose chunked body is cut off is no success, and its job id is on the error", async () => {
  const text = '{"jobId":"job-1","cred';
  const server = await rawServer((socket) =>
    socket.end(`${head(201, chunked)}${text.length.toString(16)}\r\n${text}\r\n`),
  );
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ charged: "maybe", jobId: "job-1" });
  expect(server.seen).toHaveLength(1);
});

test("a job id that is itself cut off is on no error", async () => {
  const server = await rawServer((socket) =>
    socket.end(`${head(201, { "content-length": 500 })}{"jobId":"job-1`),
  );
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ charged: "maybe", jobId: undefined });
});
