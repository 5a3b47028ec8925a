import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { ConnectionError } from "screenshot-sets";
import { Agent } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../helpers/certificate.js";
import { fetchThrough } from "../helpers/fetch-through.js";
import { expectElapsed, outcomeOf } from "../helpers/outcome-of.js";
import { listening } from "../helpers/raw-server.js";

/** The base URL of a server, and what it read of requests. */
async function started(server: Server) {
  const state = { baseUrl: "", connections: 0, read: "" };
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    state.connections++;
    sockets.push(socket);
  });
  server.on("secureConnection", (socket: Socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      state.read += chunk;
    });
  });
  state.baseUrl = `https://localhost:${await listening(server)}/api/v1`;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return state;
}

/** A server that does `act` once the client has begun a handshake. */
const onHello = (act: (socket: Socket) => unknown) =>
  createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => act(socket));
  });

const oldProtocol = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;

/** Ends the handshake with an alert: https://www.rfc-editor.org/rfc/rfc8446#section-6 */
const alert = (kind: number) => (socket: Socket) => socket.end(Buffer.of(21, 3, 3, 0, 2, 2, kind));

const failures: [what: string, code: RegExp, make: () => Server][] = [
  [
    "a certificate that nobody vouches for",
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    () => createTlsServer(selfSigned()),
  ],
  ["plain HTTP", /^ERR_SSL_/, () => onHello((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))],
  ["a protocol too old", /^ERR_SSL_/, () => createTlsServer({ ...selfSigned(), ...oldProtocol })],
  [
    "a server of HTTP/2 alone",
    /NO_APPLICATION_PROTOCOL$/,
    () => createTlsServer({ ...selfSigned(), ALPNProtocols: ["h2"] }),
  ],
  ["a server of other names", /^ERR_SSL_TLSV1_UNRECOGNIZED_NAME$/, () => onHello(alert(112))],
  ["a server that wants another certificate of the client's", /_BAD_CERTIFICATE$/, () => onHello(alert(42))],
  ["a server that does not know who vouches for the client", /_UNKNOWN_CA$/, () => onHello(alert(48))],
  ["a close within the handshake", /^ECONNRESET$/, () => onHello((socket) => socket.end())],
];

describe.each(["GET", "POST"] as const)("a %s that meets", (method) => {
  test.each(failures)("%s is neither sent nor tried again", async (_, code, make) => {
    const server = await started(make());
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, charged: "no", code: expect.stringMatching(code) });
    expect(server).toMatchObject({ connections: 1, read: "" });
    expect(elapsedMs).toBe(0);
  });

  // Node words a reset as it does one after the handshake, where these alerts may come as well.
  test.each<[what: string, act: (socket: Socket) => unknown]>([
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["an alert of an illegal parameter", alert(47)],
    ["an alert of an internal error", alert(80)],
  ])("%s within the handshake counts as one after it", async (_, act) => {
    const server = await started(onHello(act));
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl });
    const attempts = method === "GET" ? 3 : 1;
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts, charged: method === "GET" ? "no" : "maybe" });
    expect(server.connections).toBe(attempts);
    expectElapsed(elapsedMs, 0, attempts - 1);
  });
});

/** A create for a server that wants to see a certificate of the client's, which has none. */
async function createWithoutCertificate(maxVersion: "TLSv1.2" | "TLSv1.3", allowH2: boolean) {
  const certificate = selfSigned();
  const options = { ...certificate, requestCert: true, maxVersion, ALPNProtocols: ["h2", "http/1.1"] };
  const server = await started(createTlsServer(options));
  const fetch = fetchThrough(new Agent({ allowH2, connect: { ca: certificate.cert } }));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl, fetch });
  expect(error.constructor).toBe(ConnectionError);
  expect(server).toMatchObject({ connections: 1, read: "" });
  return error;
}

// By TLS 1.3 the request is on its way when the server looks, and undici words the alert as a close over HTTP/1.1.
test.each([
  ["may have been taken", "TLSv1.3", false, "maybe", /^/],
  ["costs nothing", "TLSv1.3", true, "no", /^ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED$/],
  ["costs nothing", "TLSv1.2", false, "no", /_ALERT_HANDSHAKE_FAILURE$/],
] as const)(
  "a create without a certificate of the client's %s over %s (HTTP/2: %s)",
  async (_, maxVersion, allowH2, charged, code) => {
    const error = await createWithoutCertificate(maxVersion, allowH2);
    expect(error).toMatchObject({ attempts: 1, charged });
    expect(String(error.code)).toMatch(code);
  },
);
