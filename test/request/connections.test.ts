import { constants, createSecureServer } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { ConnectionError } from "screenshot-sets";
import { Agent, ProxyAgent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";
import { listening } from "../helpers/raw-server.js";
import { selfSigned } from "./certificate.js";
import { fetchThrough } from "./fetch-through.js";

// What creates meet on real connections. `failures-of-fetch.test.ts` has the table of what each error means.

const certificate = selfSigned();

/** Starts a server. Returns its address, its connections, and what it read after their handshakes. */
async function started(server: Server) {
  const state = { host: "", connections: 0, read: "" };
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    state.connections++;
    sockets.push(socket.on("error", () => {}));
  });
  server.on("secureConnection", (socket: Socket) => {
    socket.on("error", () => {}).on("data", (chunk) => (state.read += chunk));
  });
  state.host = `localhost:${await listening(server)}`;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return state;
}

/** A server that acts once it has read something. */
const onData = (act: (socket: Socket) => unknown) => () =>
  createServer((socket) => socket.once("data", () => act(socket)));
/** Ends the handshake with an alert: https://www.rfc-editor.org/rfc/rfc8446#section-6 */
const alert = (kind: number) => onData((socket) => socket.end(Buffer.of(21, 3, 3, 0, 2, 2, kind)));
const reset = onData((socket) => socket.resetAndDestroy());
const tls = (options: TlsOptions) => () => createTlsServer({ ...certificate, ...options });
const oldProtocol = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
const wantsCertificate = { requestCert: true, ALPNProtocols: ["h2", "http/1.1"] };
const refusesStreams = () =>
  createSecureServer(certificate).on("stream", (stream) =>
    stream.on("error", () => {}).close(constants.NGHTTP2_REFUSED_STREAM),
  );

const trusting = { connect: { ca: certificate.cert } };
const trustingHttp2 = { ...trusting, allowH2: true };

test.each<[what: string, make: () => Server, charged: string, code: RegExp, agent?: Agent.Options]>([
  ["a certificate that nobody vouches for", tls({}), "no", /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
  ["a server of HTTP/2 alone", tls({ ALPNProtocols: ["h2"] }), "no", /NO_APPLICATION_PROTOCOL$/],
  ["a server of other names", alert(112), "no", /^ERR_SSL_TLSV1_UNRECOGNIZED_NAME$/],
  ["a server that wants another certificate", alert(42), "no", /_BAD_CERTIFICATE$/],
  ["a close within the handshake", onData((socket) => socket.end()), "no", /^ECONNRESET$/],
  ["a wanted certificate", tls({ ...wantsCertificate, maxVersion: "TLSv1.2" }), "no", /_FAILURE$/, trusting],
  // By TLS 1.3 the request is on its way when the server looks, and undici words the alert as a close over HTTP/1.1.
  ["a wanted certificate, by TLS 1.3 and HTTP/1", tls(wantsCertificate), "maybe", /^UND_ERR_/, trusting],
  ["a wanted certificate, by HTTP/2", tls(wantsCertificate), "no", /_CERTIFICATE_REQUIRED$/, trustingHttp2],
  // Node words these as it does after the handshake, where an alert or a broken record may come as well.
  ["a reset within the handshake", reset, "maybe", /^ECONNRESET$/],
  [
    "plain HTTP",
    onData((socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n")),
    "maybe",
    /_WRONG_VERSION_NUMBER$/,
  ],
  ["a protocol too old", tls(oldProtocol), "maybe", /_PROTOCOL_VERSION$/],
  ["an alert of an illegal parameter", alert(47), "maybe", /_ILLEGAL_PARAMETER$/],
  ["a stream that is refused", refusesStreams, "no", /^ERR_HTTP2_STREAM_ERROR$/, trustingHttp2],
])("%s ends a create after one attempt", async (_, make, charged, code, agent) => {
  const server = await started(make());
  const fetch = agent && fetchThrough(new Agent(agent));
  const { error } = await outcomeOf("POST", { baseUrl: `https://${server.host}/api/v1`, fetch });
  expect(error.constructor).toBe(ConnectionError);
  expect(error).toMatchObject({ attempts: 1, charged, code: expect.stringMatching(code) });
  expect(server).toMatchObject({ connections: 1, ...(make !== refusesStreams && { read: "" }) });
});

const answering = (text: string) => onData((socket) => socket.end(text));
const noTunnel = answering("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
const proxyTls = { ca: certificate.cert, servername: "proxy.example" };

test.each<[what: string, make: () => Server, expected: object, options?: object]>([
  ["opens no tunnel", noTunnel, { attempts: 3, charged: "no", code: "UND_ERR_ABORTED" }],
  ["has another name", tls({}), { attempts: 1, charged: "no", code: "UND_ERR_PRX_TLS" }, { proxyTls }],
  // Undici words these as it does what the service behind an open tunnel does.
  ["resets", reset, { attempts: 1, charged: "maybe" }],
  ["does not speak HTTP", answering("220 mail.example ESMTP\r\n"), { attempts: 1, charged: "maybe" }],
])("a proxy that %s", async (_, make, expected, options) => {
  const proxy = await started(make());
  const scheme = options ? "https" : "http";
  const fetch = fetchThrough(new ProxyAgent({ uri: `${scheme}://${proxy.host}`, ...options }));
  const { error } = await outcomeOf("POST", { baseUrl: "https://service.example/api/v1", fetch });
  expect(error.constructor).toBe(ConnectionError);
  expect(error).toMatchObject(expected);
});
