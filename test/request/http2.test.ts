import { constants, createSecureServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { ConnectionError } from "screenshot-sets";
import { Agent, type RequestInit, fetch as undiciFetch } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
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

test("a create whose stream is refused costs nothing, and is not sent again", async () => {
  const { error, requests, elapsedMs } = await over("POST", reset(constants.NGHTTP2_REFUSED_STREAM));
  expect(error.constructor).toBe(ConnectionError);
  expect(error).toMatchObject({ attempts: 1, charged: "no", code: "ERR_HTTP2_STREAM_ERROR" });
  expect(requests).toBe(1);
  expect(elapsedMs).toBe(0);
});

test("a read whose stream is refused is sent again", async () => {
  const { error, requests, elapsedMs } = await over("GET", reset(constants.NGHTTP2_REFUSED_STREAM));
  expect(error).toMatchObject({ attempts: 3, charged: "no", code: "ERR_HTTP2_STREAM_ERROR" });
  expect(requests).toBe(3);
  expectElapsed(elapsedMs, 0, 2);
});

describe("a create may have been taken", () => {
  test.each([
    ["NO_ERROR", constants.NGHTTP2_NO_ERROR],
    ["PROTOCOL_ERROR", constants.NGHTTP2_PROTOCOL_ERROR],
    ["INTERNAL_ERROR", constants.NGHTTP2_INTERNAL_ERROR],
    ["CANCEL", constants.NGHTTP2_CANCEL],
    ["ENHANCE_YOUR_CALM", constants.NGHTTP2_ENHANCE_YOUR_CALM],
  ])("when its stream is reset with %s", async (_, code) => {
    const { error, requests } = await over("POST", reset(code));
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, charged: "maybe" });
    expect(requests).toBe(1);
  });

  test("when its stream is refused after an answer has begun", async () => {
    const { error, requests } = await over("POST", (stream) => {
      stream.respond({ ":status": 201 });
      stream.write("{", () => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    });
    expect(error.charged).toBe("maybe");
    expect(requests).toBe(1);
  });

  // undici's error has the code of a GOAWAY, not the last stream that the server took.
  test.each([
    ["before its stream", () => 0],
    ["with its stream", (stream: ServerHttp2Stream) => stream.id as number],
  ])("when the server goes away %s", async (_, lastStream) => {
    const { error, requests } = await over("POST", (stream) =>
      stream.session?.goaway(constants.NGHTTP2_NO_ERROR, lastStream(stream)),
    );
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, charged: "maybe", code: "UND_ERR_SOCKET" });
    expect(requests).toBe(1);
  });
});
