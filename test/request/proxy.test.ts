import { createServer as createTlsServer } from "node:tls";
import { ConnectionError } from "screenshot-sets";
import { ProxyAgent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../helpers/certificate.js";
import { fetchThrough } from "../helpers/fetch-through.js";
import { outcomeOf } from "../helpers/outcome-of.js";
import { type Answer, listening, rawServer } from "../helpers/raw-server.js";

/** A create through a proxy of undici's, for a service that is reached through it alone. */
async function createThrough(options: ProxyAgent.Options) {
  const fetch = fetchThrough(new ProxyAgent(options));
  const { error } = await outcomeOf("POST", { baseUrl: "https://service.example/api/v1", fetch });
  expect(error).toBeInstanceOf(ConnectionError);
  return error;
}

test("a proxy that opens no tunnel to the service keeps a create from being sent, so it is tried again", async () => {
  const proxy = await rawServer((socket) =>
    socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"),
  );
  const error = await createThrough({ uri: `http://127.0.0.1:${proxy.port}` });
  expect(error).toMatchObject({ attempts: 3, charged: "no", code: "UND_ERR_ABORTED" });
  expect(proxy.seen.map(({ method }) => method)).toEqual(["CONNECT", "CONNECT", "CONNECT"]);
});

// undici words these as it does what the service behind an open tunnel does, and dials a proxy that closes until time-out.
test.each<[what: string, answer: Answer]>([
  ["resets", (socket) => socket.resetAndDestroy()],
  ["does not speak HTTP", (socket) => socket.end("220 mail.example ESMTP\r\n")],
])("a create may have been taken through a proxy that %s", async (_, answer) => {
  const proxy = await rawServer(answer);
  const error = await createThrough({ uri: `http://127.0.0.1:${proxy.port}` });
  expect(error).toMatchObject({ attempts: 1, charged: "maybe" });
  expect(proxy.seen).toHaveLength(1);
});

test("a proxy whose certificate has another name keeps a create from being sent", async () => {
  const certificate = selfSigned();
  const proxy = createTlsServer(certificate);
  const port = await listening(proxy);
  onTestFinished(() => void proxy.close());
  const proxyTls = { ca: certificate.cert, servername: "proxy.example" };
  const error = await createThrough({ uri: `https://localhost:${port}`, proxyTls });
  expect(error).toMatchObject({ attempts: 1, charged: "no", code: "UND_ERR_PRX_TLS" });
});
