import { constants, createSecureServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { Agent } from "undici";
import { onTestFinished, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { head, listening, rawServer } from "../helpers/raw-server.js";
import { selfSigned } from "./certificate.js";
import { CreateHistory } from "./create-history.js";
import { deeds, misdirected } from "./deeds.js";
import { fetchThrough } from "./fetch-through.js";

/** Of the histories; one that breaks a rule prints it. */
const seed = Math.floor(Math.random() * 2 ** 31);

const location = "/api/v1/public/v1/screenshots";

/** Does to one request over HTTP/1.1 what the history says. */
async function meetSocket(history: CreateHistory, socket: Socket, requestBody: string): Promise<void> {
  const { deed, clock, body, tell } = history.meet(requestBody);
  for (let left = deed.turns; left > 0; left--) await turn();
  const { early, status, headers, isChunked, cut } = deed;
  const length = Buffer.byteLength(body);
  const size = body && `${length.toString(16)}\r\n`;
  const framing = isChunked ? { "transfer-encoding": "chunked" } : { "content-length": length };
  const first =
    (early ? `HTTP/1.1 ${early} Early\r\n\r\n` : "") +
    head(status, { connection: "keep-alive", location, ...framing, ...headers }) +
    (isChunked ? size : "");
  const bytes = first + body + (isChunked ? `${body && "\r\n"}0\r\n\r\n` : "");
  const end = cut === undefined ? bytes.length : Math.round(cut.at * bytes.length);
  // Node's `fetch` takes a 100 for a broken answer, and may send on a connection that is being closed.
  if (early !== 100 && socket.writable) tell(bytes.slice(first.length, end));
  socket.write(bytes.slice(0, end));
  if (cut?.how === "reset") socket.resetAndDestroy();
  else if (cut?.how === "close") socket.end();
  else if (end < bytes.length) void clock.expire();
}

const cuts = ["reset", "close", "stall"];
const refusals = [400, 401, 402, 403, 404, 407, 409, 421, 422];

test("no create is charged twice, and no error says more than is known, whatever a proxy does", async () => {
  const history = new CreateHistory();
  const server = await rawServer((socket, { body }) => meetSocket(history, socket, body));
  const deed = fc.oneof(
    { weight: 9, arbitrary: deeds(cuts, refusals) },
    { weight: 1, arbitrary: misdirected },
  );
  await history.run(draws(9_000), deed, { baseUrl: server.baseUrl }, seed);
}, 300_000);

/** Does to one request over HTTP/2 what the history says. */
async function meetStream(history: CreateHistory, stream: ServerHttp2Stream): Promise<void> {
  const { deed, clock, body } = history.meet(await text(stream));
  for (let left = deed.turns; left > 0; left--) await turn();
  if (stream.destroyed) return;
  const { early, status, headers, cut } = deed;
  if (cut?.how === "REFUSED_STREAM") return stream.close(constants.NGHTTP2_REFUSED_STREAM);
  if (early === 103) stream.additionalHeaders({ ":status": 103 });
  if (cut?.at !== 0) stream.respond({ ":status": status, location, ...headers });
  const part = cut === undefined ? body : body.slice(0, Math.round(cut.at * body.length));
  const end = () => {
    if (cut === undefined) stream.end();
    else if (cut.how === "GOAWAY") stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
    else if (cut.how === "destroy") stream.session?.destroy();
    else if (cut.how === "stall") void clock.expire();
    else stream.close(constants[`NGHTTP2_${cut.how}` as "NGHTTP2_CANCEL"]);
  };
  if (part === "") end();
  else stream.write(part, end);
}

/**
 * On a busy machine, Node 20 sometimes sends frames for ever when a session with open streams loses its socket, without
 * a turn of the event loop and until no memory is left. So a thread of its own ends the process before that.
 */
function guardMemory(): void {
  const watch = `setInterval(() => process.memoryUsage.rss() > 3e9 && process.kill(process.pid, "SIGKILL"), 200)`;
  new Worker(watch, { eval: true }).unref();
}

const cutsOfHttp2 = [
  ...["REFUSED_STREAM", "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "CANCEL", "ENHANCE_YOUR_CALM"],
  ...["GOAWAY", "destroy", "stall"],
];

test("no create is charged twice over HTTP/2, whatever a proxy does", async () => {
  guardMemory();
  const history = new CreateHistory();
  const certificate = selfSigned();
  const sessions = new Set<Http2Session>();
  const server = createSecureServer(certificate)
    .on("session", (session) => {
      sessions.add(session);
      session.on("error", () => {}).on("close", () => sessions.delete(session));
    })
    .on("stream", (stream) => {
      stream.on("error", () => {});
      meetStream(history, stream).catch(() => {});
    });
  const port = await listening(server);
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const agent = new Agent({ allowH2: true, connections: 2, connect: { ca: certificate.cert } });
  const fetch = fetchThrough(agent);
  const options = { baseUrl: `https://localhost:${port}/api/v1`, fetch };
  await history.run(
    Math.max(draws(1_000), 500),
    deeds(cutsOfHttp2, [400, 401, 402, 404, 409]),
    options,
    seed,
  );
}, 300_000);
