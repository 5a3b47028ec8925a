import { constants, createSecureServer } from "node:http2";
import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../helpers/certificate.js";
import { fetchThrough } from "../helpers/fetch-through.js";
import { outcomeOf } from "../helpers/outcome-of.js";
import { listening } from "../helpers/raw-server.js";

// `hostile-proxy.test.ts` has the other ends of a stream. Undici does not tell the last stream that a server took.
test.each([
  ["read", "GET", 3],
  ["create", "POST", 1],
] as const)("a %s whose stream is refused over HTTP/2 costs nothing", async (_, method, sent) => {
  const certificate = selfSigned();
  let requests = 0;
  const server = createSecureServer(certificate).on("stream", (stream) => {
    requests++;
    stream.on("error", () => {}).close(constants.NGHTTP2_REFUSED_STREAM);
  });
  const port = await listening(server);
  onTestFinished(() => void server.close());
  // Node 20's own `fetch` speaks HTTP/1.1 only.
  const fetch = fetchThrough(new Agent({ allowH2: true, connect: { ca: certificate.cert } }));
  const { error } = await outcomeOf(method, { baseUrl: `https://localhost:${port}/api/v1`, fetch });
  expect([error.charged, requests]).toEqual(["no", sent]);
});
