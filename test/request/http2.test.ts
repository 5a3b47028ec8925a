import { constants, createSecureServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../helpers/certificate.js";
import { fetchThrough } from "../helpers/fetch-through.js";
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
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const fetch = fetchThrough(new Agent({ allowH2: true, connect: { ca: certificate.cert } }));
  const outcome = await outcomeOf(method, { baseUrl: `https://localhost:${port}/api/v1`, fetch });
  return { ...outcome, ...state };
}

test("is answered over HTTP/2", async () => {
  const { value } = await over("POST", (stream) => {
    stream.respond({ ":status": 201, "content-type": "application/json" });
    stream.end(JSON.stringify(goodBody));
  });
  expect(value).toEqual(goodBody);
});

// `hostile-proxy.test.ts` has the other ends of a stream. Undici does not tell the last stream that a server took.
test.each<[what: string, method: Method, sent: number, charged: string, code: number]>([
  ["is refused", "GET", 3, "no", constants.NGHTTP2_REFUSED_STREAM],
  ["is refused", "POST", 1, "no", constants.NGHTTP2_REFUSED_STREAM],
  ["ends without an error", "POST", 1, "maybe", constants.NGHTTP2_NO_ERROR],
])("if its stream %s, a %s is sent %d times, and charged: %s", async (_, method, sent, charged, code) => {
  const { error, requests, elapsedMs } = await over(method, (stream) => stream.close(code));
  expect([error.charged, requests]).toEqual([charged, sent]);
  expectElapsed(elapsedMs, 0, sent - 1);
});
