import type { Socket } from "node:net";
import { ConnectionError, TimeoutError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { expectElapsed, goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { type Answer, head, rawServer, reply } from "../helpers/raw-server.js";
import { RequestClock } from "../helpers/request-clock.js";

const good = JSON.stringify(goodBody);
const whole = { "content-length": good.length };
const chunked = { "transfer-encoding": "chunked", connection: "keep-alive" };
const half = good.slice(0, good.indexOf("job-1") + 10);

interface Row {
  what: string;
  /** What the server does with a request that it has read. */
  answer?: Answer;
  /** What it does with a connection. */
  connected?: (socket: Socket) => void;
  error: typeof ConnectionError | typeof TimeoutError;
  code?: string | RegExp;
  /** Requests that the server read: 0 where it ends before that. */
  reads?: 0;
}

/** After each of these the service may have taken a create, so only a read is sent again. */
const ambiguous: Row[] = [
  {
    what: "a reset before the request is read",
    // Who listens for this gets no data before it asks for some.
    connected: (socket) => void socket.once("readable", () => socket.resetAndDestroy()),
    error: ConnectionError,
    code: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    reads: 0,
  },
  {
    what: "a reset after the request is read",
    answer: (socket) => socket.resetAndDestroy(),
    error: ConnectionError,
    code: "ECONNRESET",
  },
  {
    what: "a close without an answer",
    answer: (socket) => socket.end(),
    error: ConnectionError,
    code: "UND_ERR_SOCKET",
  },
  {
    what: "an answer that is not HTTP",
    answer: (socket) => socket.end("220 mail.example ESMTP\r\n"),
    error: ConnectionError,
  },
  {
    what: "a close within the headers",
    answer: (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le"),
    error: ConnectionError,
    code: /./,
  },
  {
    what: "a switch of protocols that nobody asked for",
    answer: (socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    error: ConnectionError,
    code: /./,
  },
  {
    // Node's `fetch` takes no 100 that it did not ask for.
    what: "a 100 that nobody asked for",
    answer: (socket) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${head(200, whole)}${good}`),
    error: ConnectionError,
    code: "UND_ERR_SOCKET",
  },
  {
    what: "a body shorter than its content-length",
    answer: (socket) => socket.end(head(200, { "content-length": good.length + 1 }) + good),
    error: ConnectionError,
    code: /^UND_ERR_/,
  },
  {
    what: "a chunked body without its end",
    answer: (socket) => socket.end(`${head(200, chunked)}${good.length.toString(16)}\r\n${good}\r\n`),
    error: ConnectionError,
    code: /^UND_ERR_/,
  },
  {
    what: "a reset within the body",
    answer: (socket) =>
      socket.write(head(200, whole) + half, () => setTimeout(() => socket.resetAndDestroy(), 15)),
    error: ConnectionError,
    code: /^(ECONNRESET|UND_ERR_)/,
  },
  {
    what: "a gzip that is none",
    answer: reply(200, "no gzip", { "content-encoding": "gzip" }),
    error: ConnectionError,
    code: /^Z_/,
  },
  { what: "silence", answer: () => {}, error: TimeoutError },
  {
    what: "silence within the headers",
    answer: (socket) => socket.write("HTTP/1.1 200 OK\r\n"),
    error: TimeoutError,
  },
  {
    what: "silence after the headers",
    answer: (socket) => socket.write(head(200, whole)),
    error: TimeoutError,
  },
  {
    what: "silence within the body",
    answer: (socket) => socket.write(head(200, whole) + half),
    error: TimeoutError,
  },
  {
    what: "silence within a chunked body",
    answer: (socket) => socket.write(`${head(200, { "transfer-encoding": "chunked" })}5\r\n{"jo`),
    error: TimeoutError,
  },
  {
    what: "silence after a 103",
    answer: (socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"),
    error: TimeoutError,
  },
  {
    what: "a body that drips beyond the time-out",
    answer: (socket) => {
      socket.write(head(200, whole));
      const timer = setInterval(() => socket.write("x"), 4);
      socket.on("close", () => clearInterval(timer));
    },
    error: TimeoutError,
  },
];

const sentAtMost = { GET: 3, POST: 1 };

describe.each(["GET", "POST"] as const)("of a %s", (method) => {
  test.each(ambiguous)(
    "$what is a $error.name",
    async ({ answer, connected, error: errorClass, code, reads }) => {
      const clock = new RequestClock();
      const timesOut = errorClass === TimeoutError;
      const server = await rawServer((socket, seen, index) => {
        answer?.(socket, seen, index);
        if (timesOut) void clock.expire();
      }, connected);

      const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl }, clock);

      const attempts = sentAtMost[method];
      expect(error.constructor).toBe(errorClass);
      expect(error).toMatchObject({ attempts, charged: method === "GET" ? "no" : "maybe" });
      if (code) expect(error.code).toMatch(code);
      if (reads === 0) expect(server.connections).toBe(attempts);
      expect(server.seen).toHaveLength(reads ?? attempts);
      expectElapsed(elapsedMs, timesOut ? attempts : 0, attempts - 1);
    },
  );

  test("a connection that was kept, and is reset at the next request, may have taken it", async () => {
    const server = await rawServer((socket, _, index) => {
      if (index === 0) socket.write(head(200, { ...whole, connection: "keep-alive" }) + good);
      else socket.resetAndDestroy();
    });
    expect((await outcomeOf(method, { baseUrl: server.baseUrl })).value).toEqual(goodBody);
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: sentAtMost[method], charged: method === "GET" ? "no" : "maybe" });
    expect(server.seen).toHaveLength(1 + sentAtMost[method]);
  });

  const inTime: [what: string, answer: Answer][] = [
    [
      "a 103 before the answer",
      (socket) => socket.end(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${head(200, whole)}${good}`),
    ],
    ["an answer that drips", (socket) => drip(socket, head(200, whole) + good)],
    [
      "a body that drips in chunks",
      (socket) => drip(socket, head(200, { "transfer-encoding": "chunked" }) + inChunks(good)),
    ],
    ["an answer that ends with its connection", (socket) => socket.end(head(201) + good)],
  ];
  test.each(inTime)("%s is taken", async (_, answer) => {
    const server = await rawServer(answer);
    const { value, error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error).toBeUndefined();
    expect(value).toEqual(goodBody);
    expect(server.seen).toHaveLength(1);
    expect(elapsedMs).toBe(0);
  });

  test("what follows a failed attempt is taken", async () => {
    const server = await rawServer((socket, seen, index) =>
      index === 0 ? reply(429)(socket, seen, index) : reply(200, goodBody)(socket, seen, index),
    );
    const { value, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(value).toEqual(goodBody);
    expect(server.seen).toHaveLength(2);
    expect(server.seen[1]).toEqual(server.seen[0]);
    expectElapsed(elapsedMs, 0, 1);
  });
});

async function drip(socket: Socket, text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of text) {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
}

function inChunks(text: string): string {
  return `${[...text].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;
}
