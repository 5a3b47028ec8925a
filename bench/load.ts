import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** The settings of a load. */
export interface Load {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string | undefined;
  connections: number;
  seconds: number;
}

/** The outcome of a load. */
export interface LoadOutcome {
  requestsPerSecond: number;
  /** Answers that are not 2xx or are followed by more bytes. */
  failures: number;
}

// Runs in a separate process, so that it shares only the machine with the measured server. It writes bytes that were
// made beforehand, and reads only the status and the length of an answer. Clients that do more, including load
// generators, are slower than the servers that they measure.

function bytesOf({ url, method, headers, body = "" }: Load): Buffer {
  const { host, pathname } = new URL(url);
  const all = { host, ...headers, ...(body && { "content-length": String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** The end of the answer at the start of a text; undefined until its head is complete. */
function endOfAnswer(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return undefined;
  return head + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? Number.NaN);
}

/** Sends a request over one connection whenever the previous one was answered, until the time is over. */
async function ask(socket: Socket, request: Buffer, hasTime: () => boolean) {
  const count = { answers: 0, failures: 0 };
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    const end = endOfAnswer(text);
    if (end === undefined || text.length < end) return;
    if (text.length > end || !text.startsWith("HTTP/1.1 2")) count.failures++;
    count.answers++;
    text = "";
    if (hasTime()) socket.write(request);
    else socket.end();
  });
  socket.write(request);
  await once(socket, "close");
  return count;
}

async function run(load: Load): Promise<LoadOutcome> {
  const { hostname, port } = new URL(load.url);
  const request = bytesOf(load);
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, "connect");
      return socket;
    }),
  );
  const startedAt = performance.now();
  const hasTime = () => performance.now() - startedAt < load.seconds * 1000;
  const counts = await Promise.all(sockets.map((socket) => ask(socket, request, hasTime)));
  const sum = (name: "answers" | "failures") => counts.reduce((total, count) => total + count[name], 0);
  const seconds = (performance.now() - startedAt) / 1000;
  return { requestsPerSecond: sum("answers") / seconds, failures: sum("failures") };
}

process.on("message", async (load: Load) => process.send?.(await run(load)));
process.send?.("ready");
process.once("disconnect", () => process.exit());
