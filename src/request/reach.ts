/**
 * How far a request got before `fetch` failed. `not sent`: the connection failed. `cannot be sent`: it failed, and
 * would fail again. `refused`: the service received the request and did not process it. `unknown`: the service may have
 * processed it. `no network`: the error is not a network error.
 */
export type Reach = "not sent" | "cannot be sent" | "refused" | "unknown" | "no network";

const connectCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
const connectCalls = new Set(["connect", "getaddrinfo"]);
/**
 * A proxy refused to open a tunnel to the service: as reported by undici 8
 * (https://github.com/nodejs/undici/blob/v8.12.4/lib/dispatcher/proxy-agent.js) and by the agents of Node's `https`
 * (https://nodejs.org/api/errors.html#err_proxy_tunnel).
 */
const tunnelCodes = new Set(["UND_ERR_PRX_CONN", "ERR_PROXY_TUNNEL"]);
/**
 * The same, as reported by undici 7, whose error has the code of an abort
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/dispatcher/proxy-agent.js).
 */
const tunnelMessage = /^Proxy response \(\d+\) !== 200 when HTTP Tunneling$/;

/**
 * Certificates are checked and protocols negotiated before a byte of the request is written. The codes are those of
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes, and undici's own for the certificate of a proxy
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/core/errors.js). `WRONG_VERSION_NUMBER` and `PACKET_LENGTH_TOO_LONG`
 * are none of them: a broken record has them too, long after the handshake.
 */
const tlsCode =
  /^(ERR_TLS_CERT_|CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_|UNABLE_TO_(VERIFY|GET|DECRYPT|DECODE)_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|UND_ERR_PRX_TLS$|ERR_SSL_(UNSUPPORTED_PROTOCOL|NO_SHARED_CIPHER|DH_KEY_TOO_SMALL|UNSAFE_LEGACY_RENEGOTIATION_DISABLED))/;
/**
 * TLS alerts that only occur in a handshake (https://www.rfc-editor.org/rfc/rfc8446#section-6.2), under OpenSSL's names,
 * some of which lack `ALERT`. A server that rejects the client's certificate may say so after the request was written,
 * but does not process it. `PROTOCOL_VERSION` is none of them: OpenSSL also answers a broken record with it.
 */
const tlsAlert =
  /^ERR_SSL_(TLSV1|TLSV13|SSLV3|SSL\/TLS)_(ALERT_)?(HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|INAPPROPRIATE_FALLBACK|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL|UNKNOWN_(CA|PSK_IDENTITY)|ACCESS_DENIED|(MISSING|UNSUPPORTED)_EXTENSION|(BAD_|UNSUPPORTED_)?CERTIFICATE)/;
/**
 * In this order: a handshake that was cut off, for which Node uses the code ECONNRESET
 * (https://github.com/nodejs/node/blob/v20.20.2/lib/_tls_wrap.js); a port that `fetch` never connects to
 * (https://fetch.spec.whatwg.org/#port-blocking); a proxy that requires a password before it forwards a request
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/dispatcher/proxy-agent.js).
 */
const unsentMessage =
  /before secure TLS connection was established|^bad port$|^Proxy Authentication Required \(407\)$/;
/**
 * An HTTP/2 stream that was reset before its request was processed
 * (https://www.rfc-editor.org/rfc/rfc9113#section-8.7), in Node's words
 * (https://github.com/nodejs/node/blob/v20.20.2/lib/internal/http2/core.js).
 */
const refusedMessage = /^Stream closed with error code NGHTTP2_REFUSED_STREAM$/;

/**
 * Deno has no codes. It reports every failure before the request is written, including TLS handshakes, as a failure to
 * connect (https://github.com/denoland/deno/blob/v2.9.5/ext/fetch/lib.rs). A URL contains no blanks.
 */
const denoConnect = /^error sending request for url \(\S+\): client error \(Connect\): /;
const denoUnreached = new RegExp(`${denoConnect.source}(dns|tcp connect) error: `);

/** The meaning of messages, for errors whose code tells nothing. The first match counts. */
const byWords: readonly [RegExp, Reach][] = [
  [tunnelMessage, "not sent"],
  [refusedMessage, "refused"],
  [denoUnreached, "not sent"],
  [denoConnect, "cannot be sent"],
  [unsentMessage, "cannot be sent"],
];

/** The names that implementations of `fetch` give to network errors. */
const networkErrors =
  /^(TypeError|Error|AggregateError|AbortError|TimeoutError|FetchError|NetworkError|HTTPParserError)$/;

/** Examines an error, its causes, and the errors of each address of a host. The first conclusive one decides. */
export function reachOf(error: unknown): Reach {
  return evidenceIn(error) ?? (matches(networkErrors, factsOf(error).name) ? "unknown" : "no network");
}

/** The digests that Next.js uses for control flow. React's digests of other errors are hashes of digits. */
const signalDigest = /^[A-Z][A-Z_]+(;|$)/;

/**
 * Whether `fetch` threw a control-flow signal of the platform rather than a failure. Next.js uses one to end the static
 * rendering of a page that calls the service, before anything is sent. Its mark is the `digest`, or the `code` on pages
 * that allow only static rendering
 * (https://github.com/vercel/next.js/blob/v16.0.0/packages/next/src/client/components/hooks-server-context.ts).
 */
export function isPlatformSignal(error: unknown): boolean {
  const { digest, code, cause } = factsOf(error);
  if (code === "NEXT_STATIC_GEN_BAILOUT") return cause === undefined;
  return matches(signalDigest, digest) && evidenceIn(error) === undefined;
}

/** @param path the errors that lead to this one, since errors may refer to each other in circles */
function evidenceIn(error: unknown, path: readonly unknown[] = []): Reach | undefined {
  if (path.includes(error)) return undefined;
  const within = (other: unknown) => evidenceIn(other, [...path, error]);
  const { code, syscall, message, cause, errors } = factsOf(error);
  if (Array.isArray(errors) && errors.length > 0) {
    const found = errors.map(within);
    return found.every((reach) => reach === found[0]) ? found[0] : "unknown";
  }
  if (connectCodes.has(code as string) || connectCalls.has(syscall as string)) return "not sent";
  if (tunnelCodes.has(code as string)) return "not sent";
  if (matches(tlsCode, code) || matches(tlsAlert, code)) return "cannot be sent";
  const worded = byWords.find(([words]) => matches(words, message));
  if (worded) return worded[1];
  // The code of a `DOMException` is a number, which says nothing about the network.
  return typeof code === "string" || typeof syscall === "string" ? "unknown" : within(cause);
}

type Facts = Record<"name" | "message" | "code" | "syscall" | "cause" | "errors" | "digest", unknown>;

/** The facts in an error. The thrown value may be anything. */
export function factsOf(error: unknown): Facts {
  return Object(error);
}

/** Tests a field that may hold anything, including values that cannot be converted to a string. */
function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

/** The first code in an error and its causes. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (depth > 10) return undefined;
  const { code, cause, errors } = factsOf(error);
  if (typeof code === "string") return code;
  return codeOf(Array.isArray(errors) ? errors[0] : cause, depth + 1);
}
