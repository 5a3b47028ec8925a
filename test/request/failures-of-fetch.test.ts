import { ConnectionError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";

const baseUrl = "https://example.com/api/v1";

/** What a `fetch` rejects with: an error of Node's, wrapped as its `fetch` does. */
const failed = (cause: unknown) => new TypeError("fetch failed", { cause });
const nodeError = (fields: object, message = "it failed") => Object.assign(new Error(message), fields);

/** As Deno words it, which has no codes. */
const inDeno = (kind: string, what: string) =>
  failed(
    new Error(`error sending request for url (https://example.com/a(b)): client error (${kind}): ${what}`),
  );

/** How often GET and POST are sent, and what a create was charged. */
type Row = [what: string, error: unknown, reads: number, creates: number, charged: string, code?: string];

const refused = nodeError({ code: "ECONNREFUSED", syscall: "connect" });
const reset = nodeError({ code: "ECONNRESET", syscall: "read" });
const selfReferring = failed(undefined);
Object.assign(selfReferring, { cause: selfReferring });

const notSent: Row[] = [
  ["ECONNREFUSED", failed(refused), 3, 3, "no", "ECONNREFUSED"],
  ["ECONNREFUSED without more", failed(nodeError({ code: "ECONNREFUSED" })), 3, 3, "no", "ECONNREFUSED"],
  [
    "ECONNREFUSED of no address",
    failed(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })),
    ...([3, 3, "no"] as const),
  ],
  ["ENOTFOUND", failed(nodeError({ code: "ENOTFOUND" })), 3, 3, "no", "ENOTFOUND"],
  ["EAI_AGAIN", failed(nodeError({ code: "EAI_AGAIN" })), 3, 3, "no", "EAI_AGAIN"],
  ["another failed lookup", failed(nodeError({ code: "EAI_FAIL", syscall: "getaddrinfo" })), 3, 3, "no"],
  ["undici's connect time-out", failed(nodeError({ code: "UND_ERR_CONNECT_TIMEOUT" })), 3, 3, "no"],
  ["an unreachable host", failed(nodeError({ code: "EHOSTUNREACH", syscall: "connect" })), 3, 3, "no"],
  ["ETIMEDOUT of a connect", failed(nodeError({ code: "ETIMEDOUT", syscall: "connect" })), 3, 3, "no"],
  ["a bare ECONNREFUSED", refused, 3, 3, "no", "ECONNREFUSED"],
  ["a cause three deep", failed(failed(failed(refused))), 3, 3, "no", "ECONNREFUSED"],
  ["two addresses that refuse", failed(new AggregateError([refused, refused])), 3, 3, "no", "ECONNREFUSED"],
  [
    "two addresses that refuse, with a code of their own",
    failed(Object.assign(new AggregateError([refused, refused]), { code: "ECONNREFUSED" })),
    ...([3, 3, "no", "ECONNREFUSED"] as const),
  ],
  [
    "a tunnel that undici 8 could not open",
    failed(nodeError({ code: "UND_ERR_PRX_CONN", cause: nodeError({ code: "UND_ERR_SOCKET" }) })),
    ...([3, 3, "no", "UND_ERR_PRX_CONN"] as const),
  ],
  [
    "a tunnel that an agent of Node's could not open",
    Object.assign(nodeError({ code: "ERR_PROXY_TUNNEL" }), { name: "FetchError" }),
    ...([3, 3, "no", "ERR_PROXY_TUNNEL"] as const),
  ],
  [
    "a proxy that answers that it opens no tunnel",
    failed(nodeError({ code: "UND_ERR_ABORTED" }, "Proxy response (502) !== 200 when HTTP Tunneling")),
    ...([3, 3, "no", "UND_ERR_ABORTED"] as const),
  ],
  [
    "a stream that was refused",
    failed(
      nodeError({ code: "ERR_HTTP2_STREAM_ERROR" }, "Stream closed with error code NGHTTP2_REFUSED_STREAM"),
    ),
    ...([3, 1, "no", "ERR_HTTP2_STREAM_ERROR"] as const),
  ],
  ["a refused connection under Deno", inDeno("Connect", "tcp connect error: refused"), 3, 3, "no"],
  ["an unknown host under Deno", inDeno("Connect", "dns error: failed to lookup"), 3, 3, "no"],
];

const handshake: Row[] = [
  ...[
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
  ],
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "ERR_SSL_WRONG_VERSION_NUMBER"],
  ...[
    "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
    "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  ],
  ...["ERR_SSL_UNSUPPORTED_PROTOCOL", "ERR_SSL_NO_SHARED_CIPHER", "ERR_SSL_TLSV1_UNRECOGNIZED_NAME"],
  ...["INVALID_PURPOSE", "INVALID_CA", "HOSTNAME_MISMATCH", "CRL_HAS_EXPIRED", "PATH_LENGTH_EXCEEDED"],
  ...["UNABLE_TO_DECRYPT_CERT_SIGNATURE", "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY"],
  ...["ERR_SSL_DH_KEY_TOO_SMALL", "ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED"],
  ...["ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED", "ERR_SSL_TLSV13_ALERT_MISSING_EXTENSION"],
].map((code) => [code, failed(nodeError({ code })), 1, 1, "no", code]);
handshake.push([
  "a handshake that was cut off",
  nodeError(
    { code: "ECONNRESET" },
    "Client network socket disconnected before secure TLS connection was established",
  ),
  ...([1, 1, "no", "ECONNRESET"] as const),
]);
handshake.push(["a certificate under Deno", inDeno("Connect", "invalid peer certificate"), 1, 1, "no"]);

/** The service may have taken a create, so only a read is sent again. */
const ambiguous = (
  [
    ["ECONNRESET", failed(reset), "ECONNRESET"],
    ["EPIPE", failed(nodeError({ code: "EPIPE", syscall: "write" })), "EPIPE"],
    ["the other side closed", failed(nodeError({ code: "UND_ERR_SOCKET" }, "other side closed"))],
    ["undici's headers time-out", failed(nodeError({ code: "UND_ERR_HEADERS_TIMEOUT" }))],
    ["ETIMEDOUT of a read", failed(nodeError({ code: "ETIMEDOUT", syscall: "read" }))],
    ["an alert after the handshake", failed(nodeError({ code: "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR" }))],
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
      (code) => [`a code that only contains a handshake's: ${code}`, failed(nodeError({ code }))],
    ),
    ...[
      "Not so: Proxy response (502) !== 200 when HTTP Tunneling",
      "Proxy response (none) !== 200 when HTTP Tunneling",
      "Stream closed with error code NGHTTP2_REFUSED_STREAM, or not",
      "bad port, or not",
      "Not so: error sending request for url (x): client error (Connect): dns error: ",
    ].map((words) => [`words that only contain others: ${words}`, failed(new Error(words))]),
    ...["TypeError", "Error", "AbortError", "TimeoutError", "FetchError", "NetworkError"].map((name) => [
      `nothing but the name ${name}`,
      { name },
    ]),
    ["an abort that is not the caller's", new DOMException("The operation was aborted", "AbortError")],
  ] as [what: string, error: unknown, code?: string][]
).map(([what, error, ...code]): Row => [what, error, 3, 1, "maybe", ...code]);

/** Nothing that a network does, so nothing that another attempt mends. */
const otherwise: Row[] = [
  ["undefined", undefined, 1, 1, "maybe"],
  ["a string", "ECONNREFUSED", 1, 1, "maybe"],
  ["an error of the caller's own", nodeError({ name: "StrictError" }), 1, 1, "maybe"],
  ["a name that ends as one of the network's", { name: "MyTypeError" }, 1, 1, "maybe"],
  ["a bad port", failed(new Error("bad port")), 1, 1, "no"],
  ["a bad port, in an object that is no error", failed({ message: "bad port" }), 1, 1, "no"],
];

const all = [...notSent, ...handshake, ...ambiguous, ...otherwise];

describe.each(["GET", "POST"] as const)("a %s whose fetch rejects with", (method) => {
  test.each(all)("%s", async (_, thrown, reads, creates, charged, code) => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      throw thrown;
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    const attempts = method === "GET" ? reads : creates;
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts, charged: method === "GET" ? "no" : charged });
    if (code) expect(error.code).toBe(code);
    expect(error.cause).toBe(thrown === null ? null : thrown);
    expect(sent).toBe(attempts);
  });

  test("what it throws at once is no different", async () => {
    const fetch = (() => {
      throw failed(refused);
    }) as typeof globalThis.fetch;
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    expect(error).toMatchObject({ name: "ConnectionError", attempts: 3, charged: "no" });
  });
});

test("the message says what failed, by the innermost words", async () => {
  const fetch = async () => {
    throw failed(nodeError({ code: "ECONNREFUSED" }, "connect ECONNREFUSED 10.0.0.1:443"));
  };
  const { error } = await outcomeOf("GET", { baseUrl, fetch });
  expect(error.message).toBe("getJob failed: no answer (connect ECONNREFUSED 10.0.0.1:443).");
});
