import { constants, createSecureServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { Agent, type RequestInit, fetch as undiciFetch } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../helpers/certificate.js";
import { expectElapsed, goodBody, type Method, outcomeOf } from "../helpers/outcome-of.js";
import { listening } from "../helpers/raw-server.js";

/** How a call over HTTP/2 ends, and how many requests the server had. Node 20's own `fetch` speaks HTTP/1.1 only. */
async function over(method: Method, answer: (stream: ServerHttp2Stream) => unknown) {
  const certificate = selfSigned();
  const sessions: Http2Session[] = [];
  const state = { requests: 0 };
  const server = createSecureServer(certificate)
    .on("session", (session) => sessions.push(session))
    .on("stream", (stream) => {
      state.requests++;
      stream.on("error", () => {});
      answer(stream);
    });
  const port = await listening(server);
  const dispatcher = new Agent({ allowH2: true, connect: { ca: certificate.cert } });
  onTestFinished(async () => {
    await dispatcher.destroy();
    for (const session of sessions) session.destroy();
    server.close();
  });
  const outcome = await outcomeOf(method, {
    baseUrl: `https://localhost:${port}/api/v1`,
    fetch: (async (url: string, init: RequestInit) =>
      undiciFetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch,
  });
  return { ...outcome, ...state };
}

const reset = (code: number) => (stream: ServerHttp2Stream) => stream.close(code);

test("is answered over HTTP/2", async () => {
  const { value } = await over("POST", (stream) => {
    stream.respond({ ":status": 201, "content-type": "application/json" });
    stream.end(JSON.stringify(goodBody));
  });
  expect(value).toEqual(goodBody);
});

/** How often it is sent, and what a create was charged. Undici does not tell the last stream that a server took. */
test.each<
  [
    what: string,
    method: Method,
    answer: (stream: ServerHttp2Stream) => unknown,
    sent: number,
    charged: string,
  ]
>([
  ["its stream is refused", "GET", reset(constants.NGHTTP2_REFUSED_STREAM), 3, "no"],
  ["its stream is refused", "POST", reset(constants.NGHTTP2_REFUSED_STREAM), 1, "no"],
  ["its stream ends with NO_ERROR", "POST", reset(constants.NGHTTP2_NO_ERROR), 1, "maybe"],
  ["its stream ends with INTERNAL_ERROR", "POST", reset(constants.NGHTTP2_INTERNAL_ERROR), 1, "maybe"],
  ["its stream ends with CANCEL", "POST", reset(constants.NGHTTP2_CANCEL), 1, "maybe"],
  ["its stream is refused within an answer", "POST", refusedWithin, 1, "maybe"],
  [
    "the server goes away",
    "POST",
    (stream) => stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 0),
    1,
    "maybe",
  ],
])("if %s, a %s may be sent again only where nothing was taken", async (_, method, answer, sent, charged) => {
  const { error, requests, elapsedMs } = await over(method, answer);
  expect(error.charged).toBe(charged);
  expect(requests).toBe(sent);
  expectElapsed(elapsedMs, 0, sent - 1);
});

function refusedWithin(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 201 });
  stream.write("{", () => stream.close(constants.NGHTTP2_REFUSED_STREAM));
}
