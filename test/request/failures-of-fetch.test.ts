import { ConnectionError } from "screenshot-sets";
import { describe, expect, test, vi } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";

const baseUrl = "https://example.com/api/v1";

/** What a `fetch` rejects with: an error of Node's, wrapped as its `fetch` does. */
const failed = (cause: unknown) => new TypeError("fetch failed", { cause });
const nodeError = (fields: object, message = "it failed") => Object.assign(new Error(message), fields);
const withCode = (code: string): Failure => [code, failed(nodeError({ code })), code];

/** As Deno words it, which has no codes. */
const inDeno = (kind: string, what: string) => {
  const words = `error sending request for url (https://example.com/a(b)): client error (${kind}): ${what}`;
  return failed(new Error(words));
};

type Failure = [what: string, error: unknown, code?: string];

const refused = nodeError({ code: "ECONNREFUSED", syscall: "connect" });
const reset = nodeError({ code: "ECONNRESET", syscall: "read" });
const ofNoAddress = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
const ofTwo = new AggregateError([refused, refused]);
const selfReferring = failed(undefined);
Object.assign(selfReferring, { cause: selfReferring });

const tunnelOfUndici8 = nodeError({ code: "UND_ERR_PRX_CONN", cause: nodeError({ code: "UND_ERR_SOCKET" }) });
const noTunnel = "Proxy response (502) !== 200 when HTTP Tunneling";
const tunnelOfNode = Object.assign(nodeError({ code: "ERR_PROXY_TUNNEL" }), { name: "FetchError" });

const notSent: Failure[] = [
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].map(withCode),
  ["ECONNREFUSED of no address", failed(ofNoAddress)],
  ["another failed lookup", failed(nodeError({ code: "EAI_FAIL", syscall: "getaddrinfo" }))],
  ["an unreachable host", failed(nodeError({ code: "EHOSTUNREACH", syscall: "connect" }))],
  ["a bare ECONNREFUSED", refused, "ECONNREFUSED"],
  ["a cause three deep", failed(failed(failed(refused))), "ECONNREFUSED"],
  ["two addresses that refuse", failed(ofTwo), "ECONNREFUSED"],
  ["a tunnel that undici 8 could not open", failed(tunnelOfUndici8), "UND_ERR_PRX_CONN"],
  ["a tunnel that an agent of Node's could not open", tunnelOfNode, "ERR_PROXY_TUNNEL"],
  [
    "a proxy that opens no tunnel",
    failed(nodeError({ code: "UND_ERR_ABORTED" }, noTunnel)),
    "UND_ERR_ABORTED",
  ],
  ["a refused connection under Deno", inDeno("Connect", "tcp connect error: refused")],
  ["an unknown host under Deno", inDeno("Connect", "dns error: failed to lookup")],
];

const cutOffHandshake = "Client network socket disconnected before secure TLS connection was established";
const cannotBeSent: Failure[] = [
  ...["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "DEPTH_ZERO_SELF_SIGNED_CERT"].map(withCode),
  ...["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"].map(withCode),
  ...["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "ERR_SSL_UNSUPPORTED_PROTOCOL"].map(withCode),
  ...["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE"].map(withCode),
  ...["ERR_SSL_NO_SHARED_CIPHER", "ERR_SSL_TLSV1_UNRECOGNIZED_NAME", "INVALID_PURPOSE"].map(withCode),
  ...["INVALID_CA", "HOSTNAME_MISMATCH", "CRL_HAS_EXPIRED", "PATH_LENGTH_EXCEEDED"].map(withCode),
  ...["UNABLE_TO_DECRYPT_CERT_SIGNATURE", "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY"].map(withCode),
  ...["ERR_SSL_DH_KEY_TOO_SMALL", "ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED"].map(withCode),
  ...["ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED", "ERR_SSL_TLSV13_ALERT_MISSING_EXTENSION"].map(withCode),
  ["a handshake that was cut off", nodeError({ code: "ECONNRESET" }, cutOffHandshake), "ECONNRESET"],
  ["a certificate under Deno", inDeno("Connect", "invalid peer certificate")],
  ["a bad port", failed(new Error("bad port"))],
];

const refusedStream = "Stream closed with error code NGHTTP2_REFUSED_STREAM";
const notTaken: Failure[] = [
  ["a stream that was refused", failed(nodeError({ code: "ERR_HTTP2_STREAM_ERROR" }, refusedStream))],
];

/** The service may have taken a create, so only a read is sent again. */
const ambiguous: Failure[] = [
  ["ECONNRESET", failed(reset), "ECONNRESET"],
  ["EPIPE", failed(nodeError({ code: "EPIPE", syscall: "write" })), "EPIPE"],
  ["the other side closed", failed(nodeError({ code: "UND_ERR_SOCKET" }, "other side closed"))],
  ["ETIMEDOUT of a read", failed(nodeError({ code: "ETIMEDOUT", syscall: "read" }))],
  ["an alert after the handshake", failed(nodeError({ code: "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR" }))],
  // A broken record of an established connection has these codes, as a failed handshake does.
  ...["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"].map(withCode),
  ...["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "ERR_SSL_TLSV13_ALERT_PROTOCOL_VERSION"].map(withCode),
  ["a reset under Deno", inDeno("SendRequest", "client error (Connect): dns error: ")],
  ["no cause", new TypeError("Failed to fetch")],
  ["a cause that says nothing", failed(new Error("?"))],
  ["a cause that is no error", failed("ECONNREFUSED")],
  ["one address that refuses and one that resets", failed(new AggregateError([refused, reset]))],
  ["an aggregate of nothing", failed(new AggregateError([]))],
  ["a reset that follows a refusal", nodeError({ code: "ECONNRESET", cause: refused }), "ECONNRESET"],
  ["a read that follows a refusal", failed(nodeError({ syscall: "read", cause: refused }))],
  ["an error that is its own cause", selfReferring],
  ...["MY_CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT_2", "INVALID_CA_2", "UND_ERR_PRX_TLS_2"].map(
    (code): Failure => [`a code that only contains a handshake's: ${code}`, failed(nodeError({ code }))],
  ),
  ...[
    "Not so: Proxy response (502) !== 200 when HTTP Tunneling",
    "Proxy response (none) !== 200 when HTTP Tunneling",
    "Stream closed with error code NGHTTP2_REFUSED_STREAM, or not",
    "bad port, or not",
    "Not so: error sending request for url (x): client error (Connect): dns error: ",
  ].map((words): Failure => [`words that only contain others: ${words}`, failed(new Error(words))]),
  ...["TypeError", "Error", "AbortError", "TimeoutError", "FetchError", "NetworkError"].map(
    (name): Failure => [`nothing but the name ${name}`, { name }],
  ),
  ["an abort that is not the caller's", new DOMException("The operation was aborted", "AbortError")],
];

/** Nothing that a network does, so nothing that another attempt mends. */
const otherwise: Failure[] = [
  ["undefined", undefined],
  ["a string", "ECONNREFUSED"],
  ["an error of the caller's own", nodeError({ name: "StrictError" })],
  ["a name that ends as one of the network's", { name: "MyTypeError" }],
];

describe.each<[reads: number, creates: number, charged: string, failures: Failure[]]>([
  [3, 3, "no", notSent],
  [1, 1, "no", cannotBeSent],
  [3, 1, "no", notTaken],
  [3, 1, "maybe", ambiguous],
  [1, 1, "maybe", otherwise],
])("a read is sent %d times, a create %d times and charged: %s, where fetch fails with", (...row) => {
  const [reads, creates, charge, failures] = row;
  test.each(failures)("%s", async (_, thrown, code) => {
    for (const [method, attempts, charged] of [
      ["GET", reads, "no"],
      ["POST", creates, charge],
    ] as const) {
      const fetch = vi.fn(() => Promise.reject(thrown));
      const { error } = await outcomeOf(method, { baseUrl, fetch });
      expect(error.constructor).toBe(ConnectionError);
      expect(error).toMatchObject({ attempts, charged, ...(code && { code }) });
      expect(error.cause).toBe(thrown);
      expect(fetch).toHaveBeenCalledTimes(attempts);
    }
  });
});
