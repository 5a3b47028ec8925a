import { once } from "node:events";
import { connect } from "node:net";

// The process that loads a server. It writes bytes that were made beforehand, and reads only the status and the length
// of an answer: clients that do more, including load generators, are slower than the servers that they measure.

/** One request, sent over each of several connections whenever the previous one was answered. */
export interface Load {
  url: string;
  method: "GET" | "POST";
  apiKey: string;
  body?: string;
  connections: number;
  seconds: number;
}

function bytesOf({ url, method, apiKey, body = "" }: Load): Buffer {
  const { host, pathname } = new URL(url);
  const head = [
    `${method} ${pathname} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${apiKey}`,
    ...(body === "" ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Whether a text is a whole answer, and nothing else. It throws for an answer that is not 2xx. */
function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return false;
  const length = head + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1]);
  if (!text.startsWith("HTTP/1.1 2") || !(text.length <= length))
    throw new Error(`Unexpected answer: ${text}`);
  return text.length === length;
}

/** Returns the number of answers over one connection. */
async function answersTo(request: Buffer, { hostname, port }: URL, until: number): Promise<number> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let answers = 0;
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (!isWhole(text)) return;
    answers++;
    text = "";
    if (performance.now() < until) socket.write(request);
    else socket.end();
  });
  socket.write(request);
  await once(socket, "close");
  return answers;
}

/** The requests a second that the server answers. */
async function rateOf(load: Load): Promise<number> {
  const [request, url, startedAt] = [bytesOf(load), new URL(load.url), performance.now()];
  const until = startedAt + load.seconds * 1000;
  const answers = await Promise.all(
    Array.from({ length: load.connections }, () => answersTo(request, url, until)),
  );
  return (answers.reduce((sum, count) => sum + count) / (performance.now() - startedAt)) * 1000;
}

process.on("message", async (load: Load) => process.send?.(await rateOf(load)));
process.once("disconnect", () => process.exit());
process.send?.("ready");
