import { isError } from "../secrets/redact.js";

/**
 * How far a request came that `fetch` failed to send. `not sent`: the connection failed; `cannot be sent`: nor will
 * it be the next time; `refused`: the service had it, and took none of it; `unknown`: the service may have it;
 * `no network`: the error is not one of the network.
 */
export type Reach = "not sent" | "cannot be sent" | "refused" | "unknown" | "no network";

const connectCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
const connectCalls = new Set(["connect", "getaddrinfo"]);
/**
 * A proxy that opens no tunnel to the service: by undici 8
 * (https://github.com/nodejs/undici/blob/v8.12.4/lib/dispatcher/proxy-agent.js), and by the agents of Node's `https`
 * (https://nodejs.org/api/errors.html#err_proxy_tunnel).
 */
const tunnelCodes = new Set(["UND_ERR_PRX_CONN", "ERR_PROXY_TUNNEL"]);
/**
 * One that answers so; the code that comes with it is one of aborts
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/dispatcher/proxy-agent.js).
 */
const tunnelMessage = /^Proxy response \(\d+\) !== 200 when HTTP Tunneling$/;

/**
 * Certificates are checked, and protocols agreed on, before a byte of the request is written: the names are those of
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes, and undici's own for the certificate of a proxy
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/core/errors.js).
 */
const tlsCode =
  /^(ERR_TLS_CERT_|CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_|UNABLE_TO_(VERIFY|GET|DECRYPT|DECODE)_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|UND_ERR_PRX_TLS$|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_SHARED_CIPHER|PACKET_LENGTH_TOO_LONG|DH_KEY_TOO_SMALL|UNSAFE_LEGACY_RENEGOTIATION_DISABLED))/;
/**
 * The alerts of a server that can only belong to a handshake (https://www.rfc-editor.org/rfc/rfc8446#section-6.2), as
 * OpenSSL calls them: some of them without `ALERT`. A server that turns down the client's own certificate says so only
 * when the request is on its way, and takes none of it.
 */
const tlsAlert =
  /^ERR_SSL_(TLSV1|TLSV13|SSLV3|SSL\/TLS)_(ALERT_)?(PROTOCOL_VERSION|HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|INAPPROPRIATE_FALLBACK|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL|UNKNOWN_(CA|PSK_IDENTITY)|ACCESS_DENIED|(MISSING|UNSUPPORTED)_EXTENSION|(BAD_|UNSUPPORTED_)?CERTIFICATE)/;
/**
 * Node words a handshake that was cut off so, under the code ECONNRESET
 * (https://github.com/nodejs/node/blob/v20.20.2/lib/_tls_wrap.js); `fetch` so a port that it never calls
 * (https://fetch.spec.whatwg.org/#port-blocking); undici so a proxy that wants a password before it passes a request on
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/dispatcher/proxy-agent.js).
 */
const unsentMessage =
  /before secure TLS connection was established|^bad port$|^Proxy Authentication Required \(407\)$/;
/**
 * A stream of HTTP/2 that was reset before anything was done with its request
 * (https://www.rfc-editor.org/rfc/rfc9113#section-8.7), in the words of Node
 * (https://github.com/nodejs/node/blob/v20.20.2/lib/internal/http2/core.js).
 */
const refusedMessage = /^Stream closed with error code NGHTTP2_REFUSED_STREAM$/;

/**
 * Deno has no codes, but says of all that fails before the request is written, a TLS handshake included, that it could
 * not connect (https://github.com/denoland/deno/blob/v2.9.5/ext/fetch/lib.rs). An address holds no blanks.
 */
const denoConnect = /^error sending request for url \(\S+\): client error \(Connect\): /;
const denoUnreached = new RegExp(`${denoConnect.source}(dns|tcp connect) error: `);

/** What words tell where no code does, the first that fit. */
const byWords: readonly [RegExp, Reach][] = [
  [tunnelMessage, "not sent"],
  [refusedMessage, "refused"],
  [denoUnreached, "not sent"],
  [denoConnect, "cannot be sent"],
  [unsentMessage, "cannot be sent"],
];

/** What other implementations of `fetch` call a failure of the network. */
const networkErrors =
  /^(TypeError|Error|AggregateError|AbortError|TimeoutError|FetchError|NetworkError|HTTPParserError)$/;

/** Errors that refer to more others than this are made to fill the stack. */
const mostErrors = 100;

/** Causes nest, and a host with several addresses fails once for each: the first that tells decides. */
export function reachOf(error: unknown): Reach {
  return (
    evidenceIn(error, new Map()) ?? (matches(networkErrors, factsOf(error).name) ? "unknown" : "no network")
  );
}

/** The names that Next.js steers by. What React marks other errors with is a hash, in digits. */
const signalDigest = /^[A-Z][A-Z_]+(;|$)/;

/**
 * Whether `fetch` threw no failure but the platform's own signal: the one of Next.js ends so, before anything is sent,
 * the static rendering of a page that calls the service. Next.js knows it by its `digest`, or by its `code` where the
 * page asked for nothing but static rendering
 * (https://github.com/vercel/next.js/blob/v16.0.0/packages/next/src/client/components/hooks-server-context.ts).
 */
export function isPlatformSignal(error: unknown): boolean {
  const { digest, code, cause } = factsOf(error);
  if (code === "NEXT_STATIC_GEN_BAILOUT") return cause === undefined;
  return matches(signalDigest, digest) && evidenceIn(error, new Map()) === undefined;
}

/** `known` holds what was found in the errors on the way: they may refer to each other in circles. */
function evidenceIn(error: unknown, known: Map<unknown, Reach | undefined>): Reach | undefined {
  if (known.has(error)) return known.get(error);
  if (known.size === mostErrors) return "unknown";
  known.set(error, undefined);
  const reach = evidenceOf(factsOf(error), known);
  known.set(error, reach);
  return reach;
}

function evidenceOf(
  { code, syscall, message, cause, errors }: Facts,
  known: Map<unknown, Reach | undefined>,
): Reach | undefined {
  if (Array.isArray(errors) && errors.length > 0) {
    const found = errors.map((one) => evidenceIn(one, known));
    return found.every((reach) => reach === found[0]) ? found[0] : "unknown";
  }
  if (connectCodes.has(code as string) || connectCalls.has(syscall as string)) return "not sent";
  if (tunnelCodes.has(code as string)) return "not sent";
  if (matches(tlsCode, code) || matches(tlsAlert, code)) return "cannot be sent";
  const worded = byWords.find(([words]) => matches(words, message));
  if (worded) return worded[1];
  // A `DOMException` has a number for a code, which tells nothing of the network.
  return typeof code === "string" || typeof syscall === "string" ? "unknown" : evidenceIn(cause, known);
}

type Facts = Record<"name" | "message" | "code" | "syscall" | "cause" | "errors" | "digest", unknown>;

/**
 * What an error says of itself: its own fields, and the name and message that every class of errors has; the rest may
 * be inherited from an `Object.prototype` that somebody wrote to. What is thrown may be anything, with accessors that
 * throw in turn.
 */
export function factsOf(error: unknown): Facts {
  const own = (field: keyof Facts) =>
    Object.hasOwn(Object(error), field) ? (error as Facts)[field] : undefined;
  try {
    return {
      name: isError(error) ? error.name : own("name"),
      message: isError(error) ? error.message : own("message"),
      code: own("code"),
      syscall: own("syscall"),
      cause: own("cause"),
      errors: own("errors"),
      digest: own("digest"),
    };
  } catch {
    return Object.create(null);
  }
}

/** A field may hold anything, and not all of that can be made a string. */
function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

/** The first code found in an error and its causes. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (depth > 10) return undefined;
  const { code, cause, errors } = factsOf(error);
  if (typeof code === "string") return code;
  return codeOf(Array.isArray(errors) ? errors[0] : cause, depth + 1);
}
